//! Small sets of small numbers, as wide as they need to be.

/// How many bits are set in the lower 16, looked up: without an instruction for it, counting takes about fifteen.
#[inline]
pub fn count(bits: u32) -> usize {
    debug_assert!(bits <= 0xffff);
    usize::from(COUNTS[(bits & 0xffff) as usize])
}

static COUNTS: [u8; 1 << 16] = {
    let mut counts = [0; 1 << 16];
    let mut bits = 1;
    while bits < counts.len() {
        counts[bits] = counts[bits / 2] + (bits % 2) as u8;
        bits += 1;
    }
    counts
};

/// Up to `64 * W` numbers: number `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    /// Nothing.
    pub const EMPTY: Bits<W> = Bits([0; W]);

    /// One number.
    #[inline]
    pub fn single(number: usize) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        bits.insert(number);
        bits
    }

    /// The numbers whose bits are set in a word.
    #[inline]
    pub fn from_word(word: u64) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        bits.0[0] = word;
        bits
    }

    /// The numbers whose bits are set in some words, of which there are no more than here.
    #[inline]
    pub fn from_words(words: &[u64]) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        bits.0[..words.len()].copy_from_slice(words);
        bits
    }

    /// Every number below `count`.
    #[inline]
    pub fn below(count: usize) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        for (place, word) in bits.0.iter_mut().enumerate() {
            let left = count.saturating_sub(64 * place);
            *word = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        }
        bits
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Takes a number away.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Whether the number is in the set.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] & (1 << (number % 64)) != 0
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// What is in both.
    #[inline]
    pub fn and(self, other: Bits<W>) -> Bits<W> {
        self.zip(other, |one, other| one & other)
    }

    /// What is in one of them.
    #[inline]
    pub fn or(self, other: Bits<W>) -> Bits<W> {
        self.zip(other, |one, other| one | other)
    }

    /// What is in the first alone.
    #[inline]
    pub fn minus(self, other: Bits<W>) -> Bits<W> {
        self.zip(other, |one, other| one & !other)
    }

    /// Whether all of it is in the other.
    #[inline]
    pub fn is_within(&self, other: Bits<W>) -> bool {
        self.minus(other).is_empty()
    }

    /// Whether the two share a number.
    #[inline]
    pub fn meets(&self, other: Bits<W>) -> bool {
        !self.and(other).is_empty()
    }

    /// All but the least number.
    #[inline]
    pub fn without_first(mut self) -> Bits<W> {
        if let Some(word) = self.0.iter_mut().find(|word| **word != 0) {
            *word &= *word - 1;
        }
        self
    }

    /// The least number.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// The numbers, rising.
    #[inline]
    pub fn iter(self) -> Numbers<W> {
        Numbers { left: self.0, word: 0 }
    }

    #[inline]
    fn zip(mut self, other: Bits<W>, join: impl Fn(u64, u64) -> u64) -> Bits<W> {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = join(*word, other);
        }
        self
    }
}

/// The numbers of a set, rising.
pub struct Numbers<const W: usize> {
    left: [u64; W],
    word: usize,
}

impl<const W: usize> Iterator for Numbers<W> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word < W {
            let left = &mut self.left[self.word];
            if *left != 0 {
                let bit = left.trailing_zeros() as usize;
                *left &= *left - 1;
                return Some(64 * self.word + bit);
            }
            self.word += 1;
        }
        None
    }
}

/// The numbers of the bits set in a row of words, rising.
pub struct Ones<'w> {
    /// What is left of the word in hand.
    left: u64,
    /// The number of its first bit.
    from: usize,
    later: std::slice::Iter<'w, u64>,
}

impl<'w> Ones<'w> {
    /// Those of these words.
    #[inline]
    pub fn of(words: &'w [u64]) -> Ones<'w> {
        let mut later = words.iter();
        Ones { left: later.next().copied().unwrap_or(0), from: 0, later }
    }
}

impl Iterator for Ones<'_> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.left = *self.later.next()?;
            self.from += 64;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(self.from + bit)
    }
}

/// For each number, what `of` says of it and of all numbers that it leads to, put together: `next` says what each leads
/// to at once. Numbers that lead to each other (a component) get the same; components are closed when all that they
/// lead to is (Tarjan's way).
pub fn unions_of_reached<const W: usize>(next: &[Bits<W>], of: &[Bits<W>]) -> Vec<Bits<W>> {
    let mut search = Components {
        next,
        of,
        unions: vec![Bits::EMPTY; next.len()],
        met: vec![0; next.len()],
        least: vec![0; next.len()],
        open: Bits::EMPTY,
        closed: Bits::EMPTY,
        stack: Vec::with_capacity(next.len()),
        way: Vec::with_capacity(next.len()),
    };
    for root in 0..next.len() {
        if !search.closed.contains(root) {
            search.visit(root);
        }
    }
    search.unions
}

struct Components<'a, const W: usize> {
    next: &'a [Bits<W>],
    of: &'a [Bits<W>],
    unions: Vec<Bits<W>>,
    /// The place of each number that is not closed on the stack; the least one that it leads back to.
    met: Vec<u16>,
    least: Vec<u16>,
    /// Numbers that have been met and are not closed.
    open: Bits<W>,
    /// Numbers whose unions are known.
    closed: Bits<W>,
    /// Those that are open, as they were met.
    stack: Vec<usize>,
    /// The way to the one in hand.
    way: Vec<usize>,
}

impl<const W: usize> Components<'_, W> {
    fn visit(&mut self, root: usize) {
        self.way.push(root);
        self.meet(root);
        while let Some(&number) = self.way.last() {
            let fresh = self.next[number].minus(self.closed).minus(self.open);
            if let Some(next) = fresh.first() {
                self.way.push(next);
                self.meet(next);
                continue;
            }
            self.way.pop();
            for open in self.next[number].and(self.open).iter() {
                self.least[number] = self.least[number].min(self.least[open]);
            }
            if self.least[number] == self.met[number] {
                self.close(usize::from(self.met[number]));
            }
        }
    }

    fn meet(&mut self, number: usize) {
        let place = self.stack.len() as u16;
        (self.met[number], self.least[number]) = (place, place);
        self.open.insert(number);
        self.stack.push(number);
    }

    /// Closes a component: what is on the stack from this place on.
    fn close(&mut self, from: usize) {
        let (mut union, mut beyond) = (Bits::EMPTY, Bits::EMPTY);
        for &member in &self.stack[from..] {
            union = union.or(self.of[member]);
            beyond = beyond.or(self.next[member]);
        }
        for next in beyond.and(self.closed).iter() {
            union = union.or(self.unions[next]);
        }
        for member in self.stack.drain(from..) {
            self.open.remove(member);
            self.closed.insert(member);
            self.unions[member] = union;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn across_words() {
        assert_eq!(Ones::of(&[]).count() + Ones::of(&[0, 0]).count(), 0);
        assert_eq!(Ones::of(&[1 << 63, 0, 0b11]).collect::<Vec<_>>(), [63, 128, 129]);
        let all: Bits<2> = Bits::below(70);
        assert_eq!((all.len(), all.first()), (70, Some(0)));
        let high = all.minus(Bits::below(64));
        assert_eq!(high.iter().collect::<Vec<_>>(), [64, 65, 66, 67, 68, 69]);
        assert_eq!(high.without_first().iter().collect::<Vec<_>>(), [65, 66, 67, 68, 69]);
        assert!(Bits::<2>::single(64).without_first().is_empty());
        assert!(high.is_within(all) && !all.is_within(high) && high.meets(Bits::single(69)));
        assert!(high.and(Bits::below(64)).is_empty() && Bits::<1>::below(64).contains(63));
        assert_eq!(Bits::<1>::single(3).or(Bits::single(5)).iter().collect::<Vec<_>>(), [3, 5]);
    }

    /// Against following the numbers one by one, on graphs of all densities.
    #[test]
    fn unions_of_all_that_is_reached() {
        let mut state = 7u64;
        let mut draw = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for count in (1..128).step_by(3) {
            let mut next = vec![Bits::<2>::EMPTY; count];
            for _ in 0..draw(3 * count as u64) {
                next[draw(count as u64) as usize].insert(draw(count as u64) as usize);
            }
            let of: Vec<Bits<2>> = (0..count).map(|_| Bits::single(draw(128) as usize)).collect();
            for (number, &union) in unions_of_reached(&next, &of).iter().enumerate() {
                let (mut reached, mut last) = (Bits::single(number), Bits::EMPTY);
                while reached != last {
                    last = reached;
                    reached = last.iter().fold(last, |all, number| all.or(next[number]));
                }
                assert_eq!(union, reached.iter().fold(Bits::EMPTY, |all, number| all.or(of[number])));
            }
        }
    }
}
