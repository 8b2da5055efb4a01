//! 3D Medusa: clusters of all digits, joined by houses with two places and by cells with two candidates.
//!
//! A colour is false if two of it conflict, or if it leaves a cell without candidate or a digit without place. Apart
//! from that, whatever conflicts with a candidate of each colour is false.

use std::ops::ControlFlow;

use smallvec::smallvec;

use super::chains::nice::plain;
use super::clusters::{Cluster, Clusters, Node, conflict};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{
    Argument, CellSet, Conclusion, Lemma, Literal, MAX_SIZE, Mark, Premise, Proof, Role, Shape,
};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId};

/// 3D Medusa trap.
pub const MEDUSA_TRAP: Technique = Technique {
    slug: "medusa-trap",
    name: Text { en: "3D Medusa trap", zh: "三维美杜莎（夹击）" },
    level: Level::Unfair,
    score: 270,
    needs: Needs::NONE,
    on_path: true,
    find: medusa_trap,
    sentence: Text {
        en: "either all of {first} or all of {second} are true, and {target} conflicts with one of each, so it can go",
        zh: "{first} 与 {second} 中必有一组全为真，而 {target} 与两组各有冲突，因此删去",
    },
    lesson: Text {
        en: "houses with two places for a digit and cells with two candidates join {first} and {second} in turn, so either all of the first colour are true or all of the second; {target} shares its cell with, or sees in its own digit, a candidate of each colour, so it can go",
        zh: "共轭对与双值格把 {first} 与 {second} 交替连接，所以两种颜色中必有一种全为真；{target} 与两种颜色的候选数都同格或同数相见，因此删去",
    },
};

/// 3D Medusa wrap.
pub const MEDUSA_WRAP: Technique = Technique {
    slug: "medusa-wrap",
    name: Text { en: "3D Medusa wrap", zh: "三维美杜莎（自斥）" },
    find: medusa_wrap,
    sentence: Text {
        en: "either all of {first} or all of {second} are true; the colour of {on} contradicts itself, so {target} can go",
        zh: "{first} 与 {second} 中必有一组全为真；{on} 所属的颜色自相矛盾，因此删去 {target}",
    },
    lesson: Text {
        en: "houses with two places for a digit and cells with two candidates join {first} and {second} in turn, so either all of the first colour are true or all of the second; {on} are of one colour and together cannot be, for they conflict or leave a cell or a house nothing; this colour is false throughout, and {target} can go",
        zh: "共轭对与双值格把 {first} 与 {second} 交替连接，所以两种颜色中必有一种全为真；{on} 同色而不能同真：它们互相冲突，或使某格、某区无数可填；这种颜色因此全为假，可删去 {target}",
    },
    ..MEDUSA_TRAP
};

/// What conflicts with both colours.
pub fn medusa_trap(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    // Chains of candidates say as much.
    if plain(context, sink)?.0.are_none() {
        return ControlFlow::Continue(());
    }
    for cluster in &Clusters::of(context).0 {
        sink.spend(cluster.nodes().len() as u64)?;
        let first = Shade::new(context, cluster, false);
        let second = Shade::new(context, cluster, true);
        let mut conclusions = Vec::new();
        let mut lemmas = Vec::new();
        for digit in context.puzzle().digits() {
            let own = first.own[digit.index()] | second.own[digit.index()];
            for cell in (first.blocked(context, digit) & second.blocked(context, digit)) - own {
                let [ones, others] = [false, true].map(|side| against(context, cluster, side, (cell, digit)));
                let premises = cluster.strong_way(&ones, &others);
                let claims = smallvec![smallvec![Literal::is_not(cell, digit)]];
                lemmas.push(Lemma {
                    claims,
                    argument: Argument::Conflict { premises: premises.into(), uses: Vec::new() },
                });
                conclusions.push(Conclusion::Eliminate(cell, digit));
            }
        }
        push(sink, cluster, conclusions, lemmas, Vec::new())?;
    }
    ControlFlow::Continue(())
}

/// A colour that contradicts itself.
pub fn medusa_wrap(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    for cluster in &Clusters::of(context).0 {
        sink.spend(cluster.nodes().len() as u64)?;
        for side in [false, true] {
            let Some(Flaw { nodes, premise }) = flaw(context, cluster, side) else { continue };
            let ways = nodes[1..].iter().flat_map(|&node| cluster.same_way(nodes[0], node));
            let mut premises: Vec<Premise> = Vec::new();
            for way in ways.chain(premise) {
                if !premises.contains(&way) {
                    premises.push(way);
                }
            }
            let (gone, lemmas) = cluster.refute(context, nodes[0], premises);
            let marks = nodes.iter().map(|&node| cluster.nodes()[node]);
            let marks = marks.map(|(cell, digit)| mark(cell, digit)).collect();
            push(sink, cluster, gone, lemmas, marks)?;
        }
    }
    ControlFlow::Continue(())
}

/// What one colour says if it is true.
struct Shade {
    /// Cells with a candidate of the colour.
    held: CellSet,
    /// By digit, its cells of the colour.
    own: [CellSet; MAX_SIZE],
    /// By digit, the cells that these see.
    seen: [CellSet; MAX_SIZE],
    /// Whether two of the colour conflict.
    has_clash: bool,
}

impl Shade {
    fn new(context: &Context<'_>, cluster: &Cluster, side: bool) -> Shade {
        let empty = [CellSet::EMPTY; MAX_SIZE];
        let mut shade = Shade { held: CellSet::EMPTY, own: empty, seen: empty, has_clash: false };
        for node in cluster.side(side) {
            let (cell, digit) = cluster.nodes()[node];
            shade.has_clash |= shade.held.contains(cell) || shade.seen[digit.index()].contains(cell);
            shade.held.insert(cell);
            shade.own[digit.index()].insert(cell);
            shade.seen[digit.index()] |= context.peers(cell);
        }
        shade
    }

    /// Where a digit is a candidate that conflicts with the colour.
    fn blocked(&self, context: &Context<'_>, digit: Digit) -> CellSet {
        let digit_index = digit.index();
        context.spots(digit) & (self.seen[digit_index] | (self.held - self.own[digit_index]))
    }
}

/// Candidates of one colour that cannot all be true, and what says so if they do not conflict by themselves.
struct Flaw {
    nodes: Vec<usize>,
    premise: Option<Premise>,
}

/// The first flaw of a colour: two of it conflict, a cell loses all its candidates, a digit all its places in a house.
fn flaw(context: &Context<'_>, cluster: &Cluster, side: bool) -> Option<Flaw> {
    let mut nodes = cluster.side(side);
    if let (Some(node), None) = (nodes.next(), nodes.next()) {
        let (cell, digit) = cluster.nodes()[node];
        // Alone it takes its digit away, and from its cell the others, which are all of no house or cell of several.
        let has_singles = !context.naked().is_empty() || context.with_lone().next().is_some();
        let seen = context.spots(digit) & context.peers(cell);
        if !has_singles && context.houses_within(digit, seen) == 0 {
            return None;
        }
    }
    let shade = Shade::new(context, cluster, side);
    if shade.has_clash {
        return clash(context, cluster, side);
    }
    let digits = context.puzzle().digits();
    let mut blocked = [CellSet::EMPTY; MAX_SIZE];
    // a cell that has nothing to lose is no colour's fault
    let (mut held, mut left) = (CellSet::EMPTY, CellSet::EMPTY);
    for digit in digits {
        held |= context.spots(digit);
        blocked[digit.index()] = shade.blocked(context, digit);
        left |= context.spots(digit) - blocked[digit.index()];
    }
    if let Some(cell) = (held - left).first() {
        let candidates = context.candidates(cell).iter().map(|digit| (cell, digit)).collect();
        let nodes = blockers(context, cluster, side, candidates);
        return Some(Flaw { nodes, premise: Some(Premise::Cell(cell)) });
    }
    let emptied = digits.iter().map(|digit| (context.houses_within(digit, blocked[digit.index()]), digit));
    // The first house, and of its digits the first.
    let first = emptied.filter(|(houses, _)| *houses != 0).min_by_key(|(houses, _)| houses.trailing_zeros());
    let (houses, digit) = first?;
    let house = HouseId(houses.trailing_zeros() as u16);
    let places = context.spots_in(house, digit).iter().map(|cell| (cell, digit)).collect();
    let nodes = blockers(context, cluster, side, places);
    Some(Flaw { nodes, premise: Some(Premise::House(house, digit)) })
}

/// The first two of a colour that conflict.
fn clash(context: &Context<'_>, cluster: &Cluster, side: bool) -> Option<Flaw> {
    let nodes: Vec<usize> = cluster.side(side).collect();
    let pairs = nodes
        .iter()
        .enumerate()
        .flat_map(|(index, &one)| nodes[..index].iter().map(move |&other| (other, one)));
    let mut clashes =
        pairs.filter(|&(one, other)| conflict(context, cluster.nodes()[one], cluster.nodes()[other]));
    clashes.next().map(|(one, other)| Flaw { nodes: vec![one, other], premise: None })
}

/// For each of these candidates one of a colour that conflicts with it, as few as one can see at once.
fn blockers(context: &Context<'_>, cluster: &Cluster, side: bool, candidates: Vec<Node>) -> Vec<usize> {
    let mut blockers: Vec<usize> = Vec::new();
    for candidate in candidates {
        if !blockers.iter().any(|&node| conflict(context, cluster.nodes()[node], candidate)) {
            blockers.extend(against(context, cluster, side, candidate).first());
        }
    }
    blockers
}

/// Those of a colour that conflict with a candidate.
fn against(context: &Context<'_>, cluster: &Cluster, side: bool, candidate: Node) -> Vec<usize> {
    cluster.side(side).filter(|&node| conflict(context, cluster.nodes()[node], candidate)).collect()
}

fn mark(cell: Cell, digit: Digit) -> Mark {
    let digits = DigitSet::single(digit);
    Mark::new(Role::On, Shape::Candidates { cells: smallvec![cell], digits })
}

fn push(
    sink: &mut Sink<'_>,
    cluster: &Cluster,
    conclusions: Vec<Conclusion>,
    lemmas: Vec<Lemma>,
    mut marks: Vec<Mark>,
) -> Flow {
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    marks.extend(cluster.marks(false, Role::First));
    marks.extend(cluster.marks(true, Role::Second));
    sink.push(conclusions, marks, Proof { lemmas: lemmas.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Against looking at every cell and every house for a candidate that conflicts with no node of the colour.
    #[test]
    fn flaws_are_where_nothing_is_left() {
        let (mut cells, mut houses, mut clashes) = (0, 0, 0);
        for position in positions::hard().iter().step_by(2) {
            // As it is, and short of a candidate: so are singles about, and colours fail more often.
            let short = Cell::all(position.size()).step_by(4).filter_map(|cell| {
                let mut short = position.clone();
                short.eliminate(cell, position.candidates(cell).min().filter(|_| position.is_open(cell))?);
                Some(short)
            });
            for position in std::iter::once(position.clone()).chain(short) {
                let board = Board::new(position.puzzle());
                let context = Context::new(&board, &position);
                for cluster in &Clusters::of(&context).0 {
                    for side in [false, true] {
                        let wanted = plain_flaw(&context, cluster, side);
                        let found = flaw(&context, cluster, side).map(|flaw| flaw.premise);
                        assert_eq!(found, wanted);
                        match wanted {
                            Some(Some(Premise::Cell(_))) => cells += 1,
                            Some(Some(_)) => houses += 1,
                            Some(None) => clashes += 1,
                            None => {}
                        }
                    }
                }
            }
        }
        assert!(cells > 2 && houses > 2 && clashes > 2, "{cells} {houses} {clashes}");
    }

    fn plain_flaw(context: &Context<'_>, cluster: &Cluster, side: bool) -> Option<Option<Premise>> {
        let nodes: Vec<Node> = cluster.side(side).map(|node| cluster.nodes()[node]).collect();
        let is_blocked = |candidate: Node| nodes.iter().any(|&node| conflict(context, node, candidate));
        if nodes.iter().any(|&node| is_blocked(node)) {
            return Some(None);
        }
        let are_blocked =
            |mut candidates: Vec<Node>| !candidates.is_empty() && candidates.drain(..).all(is_blocked);
        let of_cell = |cell: Cell| context.candidates(cell).iter().map(|digit| (cell, digit)).collect();
        if let Some(cell) = context.open().iter().find(|&cell| are_blocked(of_cell(cell))) {
            return Some(Some(Premise::Cell(cell)));
        }
        for house in context.puzzle().house_ids() {
            for digit in context.puzzle().digits() {
                let places = context.spots_in(house, digit).iter().map(|cell| (cell, digit)).collect();
                if are_blocked(places) {
                    return Some(Some(Premise::House(house, digit)));
                }
            }
        }
        None
    }
}
