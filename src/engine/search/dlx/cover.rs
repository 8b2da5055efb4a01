//! Exact cover by dancing links: items, options over them, and taking options out and in again.
//!
//! A *primary* item is to be covered exactly once, a *secondary* one at most once. An option stands in the list of
//! each of its items; covering an item takes every option that has it out of all its other lists. Whatever is
//! covered must be uncovered in the reverse order, and then every link is as it was.

/// A node: first one for each item (the head of its list), then the options' nodes, option by option.
pub(super) type Node = u32;

/// The links. An item is named by its head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cover {
    up: Vec<Node>,
    down: Vec<Node>,
    /// The item of each node.
    item: Vec<Node>,
    /// The option of each node; none for heads.
    option: Vec<u32>,
    /// The nodes of option `o` are `starts[o]..starts[o + 1]`.
    starts: Vec<Node>,
    /// How many options an item has left.
    len: Vec<u32>,
    /// The uncovered primary items, in a ring through the root, which stands behind all items.
    left: Vec<Node>,
    right: Vec<Node>,
}

impl Cover {
    /// So many primary items, then so many secondary ones, and no options.
    pub fn new(primary: usize, secondary: usize) -> Cover {
        let items = primary + secondary;
        let heads: Vec<Node> = (0..items as Node).collect();
        let mut left: Vec<Node> = (0..=items as Node).collect();
        let mut right = left.clone();
        let root = items as Node;
        let mut before = root;
        for item in (0..primary as Node).chain([root]) {
            left[item as usize] = before;
            right[before as usize] = item;
            before = item;
        }
        Cover {
            up: heads.clone(),
            down: heads.clone(),
            item: heads,
            option: vec![u32::MAX; items],
            starts: vec![root],
            len: vec![0; items],
            left,
            right,
        }
    }

    /// Adds an option; it stands last in each list.
    pub fn push(&mut self, items: impl IntoIterator<Item = usize>) {
        let option = self.starts.len() as u32 - 1;
        for item in items {
            let node = self.up.len() as Node;
            let last = self.up[item];
            self.up.push(last);
            self.down.push(item as Node);
            self.item.push(item as Node);
            self.option.push(option);
            self.down[last as usize] = node;
            self.up[item] = node;
            self.len[item] += 1;
        }
        self.starts.push(self.up.len() as Node);
    }

    /// The option of a node that is no head.
    pub fn option(&self, node: Node) -> usize {
        self.option[node as usize] as usize
    }

    /// The item of a node.
    pub fn item(&self, node: Node) -> Node {
        self.item[node as usize]
    }

    /// The options left of an item, in the order in which they were added.
    pub fn options(&self, item: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        Options {
            cover: self,
            head: item as Node,
            front: self.down[item],
            back: self.up[item],
            left: self.len[item],
        }
    }

    /// The node after this one in its list; the head after the last.
    pub fn below(&self, node: Node) -> Node {
        self.down[node as usize]
    }

    /// The uncovered primary item with the fewest options, the first of them; nothing if all are covered. Also
    /// how many items were looked at.
    pub fn shortest(&self) -> (Option<Node>, u64) {
        let root = self.len.len() as Node;
        let (mut best, mut best_len, mut seen) = (None, u32::MAX, 0);
        let mut item = self.right[root as usize];
        while item != root {
            seen += 1;
            if self.len[item as usize] < best_len {
                best_len = self.len[item as usize];
                best = Some(item);
                if best_len == 0 {
                    break;
                }
            }
            item = self.right[item as usize];
        }
        (best, seen)
    }

    /// Takes an item out, and all options that have it. Returns how many links were changed.
    pub fn cover(&mut self, item: Node) -> u64 {
        let (left, right) = (self.left[item as usize], self.right[item as usize]);
        self.right[left as usize] = right;
        self.left[right as usize] = left;
        let mut changed = 1;
        let mut node = self.down[item as usize];
        while node != item {
            for other in self.others(node) {
                let (up, down) = (self.up[other as usize], self.down[other as usize]);
                self.down[up as usize] = down;
                self.up[down as usize] = up;
                self.len[self.item[other as usize] as usize] -= 1;
                changed += 1;
            }
            node = self.down[node as usize];
        }
        changed
    }

    /// Puts back what [`cover`](Self::cover) took out.
    pub fn uncover(&mut self, item: Node) {
        let mut node = self.up[item as usize];
        while node != item {
            for other in self.others(node).rev() {
                let (up, down) = (self.up[other as usize], self.down[other as usize]);
                self.down[up as usize] = other;
                self.up[down as usize] = other;
                self.len[self.item[other as usize] as usize] += 1;
            }
            node = self.up[node as usize];
        }
        let (left, right) = (self.left[item as usize], self.right[item as usize]);
        self.right[left as usize] = item;
        self.left[right as usize] = item;
    }

    /// Covers every other item of the option of a node, whose own item is covered. Returns the links changed.
    pub fn take(&mut self, node: Node) -> u64 {
        let mut changed = 0;
        for other in self.others(node) {
            changed += self.cover(self.item[other as usize]);
        }
        changed
    }

    /// Puts back what [`take`](Self::take) took out.
    pub fn give_back(&mut self, node: Node) {
        for other in self.others(node).rev() {
            self.uncover(self.item[other as usize]);
        }
    }

    /// The other nodes of the option of a node.
    fn others(&self, node: Node) -> impl DoubleEndedIterator<Item = Node> + use<> {
        let option = self.option[node as usize] as usize;
        (self.starts[option]..self.starts[option + 1]).filter(move |&other| other != node)
    }
}

struct Options<'c> {
    cover: &'c Cover,
    head: Node,
    front: Node,
    back: Node,
    left: u32,
}

impl Iterator for Options<'_> {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.left == 0 || self.front == self.head {
            return None;
        }
        let node = self.front;
        self.front = self.cover.down[node as usize];
        self.left -= 1;
        Some(self.cover.option(node))
    }
}

impl DoubleEndedIterator for Options<'_> {
    fn next_back(&mut self) -> Option<usize> {
        if self.left == 0 || self.back == self.head {
            return None;
        }
        let node = self.back;
        self.back = self.cover.up[node as usize];
        self.left -= 1;
        Some(self.cover.option(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knuth's example: `a b c d e f g`, of which options 0, 3 and 4 are an exact cover.
    fn example() -> Cover {
        let mut cover = Cover::new(7, 0);
        for items in [&[2, 4][..], &[0, 3, 6], &[1, 2, 5], &[0, 3, 5], &[1, 6], &[3, 4, 6]] {
            cover.push(items.iter().copied());
        }
        cover
    }

    #[test]
    fn covers_and_uncovers_exactly() {
        let mut cover = example();
        let before = cover.clone();
        cover.cover(0);
        let node = cover.below(0);
        assert_eq!(cover.option(node), 1);
        cover.take(node);
        assert_eq!(cover.options(2).collect::<Vec<_>>(), [0, 2], "options with d or g are out");
        assert_ne!(cover, before);
        cover.give_back(node);
        cover.uncover(0);
        assert_eq!(cover, before);
    }

    #[test]
    fn lists_keep_their_order() {
        let cover = example();
        assert_eq!(cover.options(3).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(cover.options(3).next_back(), Some(5));
        assert_eq!(cover.shortest(), (Some(0), 7));
    }

    #[test]
    fn a_secondary_item_is_not_asked_for() {
        let mut cover = Cover::new(1, 1);
        cover.push([0, 1]);
        cover.push([1]);
        let before = cover.clone();
        cover.cover(0);
        let node = cover.below(0);
        cover.take(node);
        assert_eq!(cover.shortest().0, None);
        cover.give_back(node);
        cover.uncover(0);
        assert_eq!(cover, before);
    }
}
