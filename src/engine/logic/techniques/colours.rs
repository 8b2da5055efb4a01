//! Simple and multi colours: clusters of one digit.
//!
//! ```text
//!  ● ═ ○        trap: what sees a ● and a ○ is false, for one of them is true
//!      ║        wrap: two ● that see each other are both false, so every ○ is true
//!      ●
//! ```

use std::ops::ControlFlow;

use smallvec::smallvec;

use super::clusters::{Cluster, DigitClusters, conflict};
use crate::engine::logic::context::Context;
use crate::engine::logic::single_digit::on_promising;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Argument, CellSet, Conclusion, Lemma, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, Digit, DigitSet};

/// Simple colours trap.
pub const SIMPLE_COLOURS_TRAP: Technique = Technique {
    slug: "simple-colours-trap",
    name: Text { en: "Simple colours trap", zh: "简单染色（夹击）" },
    level: Level::Hard,
    score: 150,
    needs: Needs::NONE,
    on_path: true,
    find: simple_trap,
    sentence: Text {
        en: "either all of {first} or all of {second} are true, and {target} sees one of each, so it can go",
        zh: "{first} 与 {second} 中必有一组全为真，而 {target} 能看到两组各一个，因此删去",
    },
    lesson: Text {
        en: "houses with two places for {digits} join {first} and {second} in turn, so either all of the first colour are true or all of the second; {target} sees a cell of each colour, one of which holds {digits}, so it can go",
        zh: "{digits} 的共轭对把 {first} 与 {second} 交替连接，所以两种颜色中必有一种全为真；{target} 同时看到两种颜色的格，其中必有一格填 {digits}，因此删去",
    },
};

/// Simple colours wrap.
pub const SIMPLE_COLOURS_WRAP: Technique = Technique {
    slug: "simple-colours-wrap",
    name: Text { en: "Simple colours wrap", zh: "简单染色（自斥）" },
    find: simple_wrap,
    sentence: Text {
        en: "either all of {first} or all of {second} are true; {pattern} are of one colour and see each other, so {target} can go",
        zh: "{first} 与 {second} 中必有一组全为真；{pattern} 同色而互相看到，因此删去 {target}",
    },
    lesson: Text {
        en: "houses with two places for {digits} join {first} and {second} in turn, so either all of the first colour are true or all of the second; {pattern} are of one colour and see each other, so they cannot all hold {digits}; this colour is false throughout, and {target} can go",
        zh: "{digits} 的共轭对把 {first} 与 {second} 交替连接，所以两种颜色中必有一种全为真；{pattern} 同色而互相看到，不能都填 {digits}；这种颜色因此全为假，可删去 {target}",
    },
    ..SIMPLE_COLOURS_TRAP
};

/// Multi colours 1.
pub const MULTI_COLOURS_1: Technique = Technique {
    slug: "multi-colours-1",
    name: Text { en: "Multi colours 1", zh: "多重染色 1 型" },
    score: 200,
    find: multi_1,
    sentence: Text {
        en: "{pattern} of two clusters see each other, so one of the colours opposite to them is true, and {target} sees both of these, so it can go",
        zh: "分属两组的 {pattern} 互相看到，所以与它们相反的两种颜色中必有一种为真，而 {target} 同时看到这两种颜色，因此删去",
    },
    lesson: Text {
        en: "houses with two places for {digits} make two clusters, {first} against {second} and {third} against {fourth}; {pattern} are of different clusters and see each other, so their colours are not both true, and one of the colours opposite to them is; {target} sees a cell of each of these, so it can go",
        zh: "{digits} 的共轭对构成两组：{first} 对 {second}，{third} 对 {fourth}；分属两组的 {pattern} 互相看到，所以它们的颜色不能同真，与它们相反的两种颜色中必有一种为真；{target} 同时看到这两种颜色的格，因此删去",
    },
    ..SIMPLE_COLOURS_TRAP
};

/// Multi colours 2.
pub const MULTI_COLOURS_2: Technique = Technique {
    slug: "multi-colours-2",
    name: Text { en: "Multi colours 2", zh: "多重染色 2 型" },
    score: 200,
    find: multi_2,
    sentence: Text {
        en: "{pattern} are of one colour and see both colours of another cluster, one of which is true, so {target} can go",
        zh: "{pattern} 同色，而同时看到另一组的两种颜色，其中必有一种为真，因此删去 {target}",
    },
    lesson: Text {
        en: "houses with two places for {digits} make two clusters, {first} against {second} and {third} against {fourth}; {pattern} are of one colour of the first and see both colours of the other, one of which is true; so this colour is false throughout, and {target} can go",
        zh: "{digits} 的共轭对构成两组：{first} 对 {second}，{third} 对 {fourth}；{pattern} 属于前一组的同一种颜色，而同时看到后一组的两种颜色，其中必有一种为真；所以这种颜色全为假，可删去 {target}",
    },
    ..SIMPLE_COLOURS_TRAP
};

/// What sees both colours.
pub fn simple_trap(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_cluster(context, sink, &mut |sink, digit, cluster| {
        let seen = [false, true].map(|side| cluster.seen(side));
        let gone = seen[0] & seen[1] & context.spots(digit);
        if gone.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut lemmas = Vec::new();
        for cell in gone {
            let [ones, others] = [false, true].map(|side| seeing(context, cluster, side, cell));
            let premises = cluster.strong_way(&ones, &others);
            lemmas.push(lemma(cell, digit, premises));
        }
        let mut marks = vec![Mark::digit(Role::Digits, digit)];
        marks.extend(cluster.marks(false, Role::First));
        marks.extend(cluster.marks(true, Role::Second));
        push(sink, context.eliminations(gone, DigitSet::single(digit)), marks, lemmas)
    })
}

/// Two of one colour that see each other.
pub fn simple_wrap(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_cluster(context, sink, &mut |sink, digit, cluster| {
        for side in [false, true] {
            let clash = clash(context, cluster, side);
            let Some((one, other)) = clash else { continue };
            let (gone, lemmas) = cluster.refute(context, one, cluster.same_way(one, other));
            let ends = [one, other].map(|node| cluster.nodes()[node].0);
            let mut marks = vec![
                Mark::digit(Role::Digits, digit),
                Mark::cells(Role::Pattern, ends.into_iter().collect()),
            ];
            marks.extend(cluster.marks(false, Role::First));
            marks.extend(cluster.marks(true, Role::Second));
            push(sink, gone, marks, lemmas)?;
        }
        ControlFlow::Continue(())
    })
}

/// The nearest two of a colour that see each other.
fn clash(context: &Context<'_>, cluster: &Cluster, side: bool) -> Option<(usize, usize)> {
    if !cluster.seen(side).meets(cluster.cells(side)) {
        return None;
    }
    let pairs = cluster
        .side(side)
        .flat_map(|one| cluster.side(side).filter(move |&other| one < other).map(move |other| (one, other)));
    let clashes =
        pairs.filter(|&(one, other)| conflict(context, cluster.nodes()[one], cluster.nodes()[other]));
    clashes.min_by_key(|&(one, other)| cluster.same_way(one, other).len())
}

/// A colour of each of two clusters see each other.
pub fn multi_1(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_two(context, sink, &mut |sink, digit, ours, theirs| {
        let mut gone = CellSet::EMPTY;
        let mut lemmas = Vec::new();
        let mut pattern = CellSet::EMPTY;
        for (side, other_side) in [(false, false), (false, true), (true, false), (true, true)] {
            let seen = (ours.seen(!side) & theirs.seen(!other_side) & context.spots(digit)) - gone;
            if seen.is_empty() {
                continue;
            }
            let Some((one, other)) = meeting(context, ours, side, theirs, other_side) else { continue };
            for cell in seen {
                let way = |cluster: &Cluster, side: bool, node: usize| {
                    cluster.strong_way(&seeing(context, cluster, side, cell), &[node])
                };
                let premises = [way(ours, !side, one), way(theirs, !other_side, other)].concat();
                lemmas.push(lemma(cell, digit, premises));
                gone.insert(cell);
                pattern |= [ours.nodes()[one].0, theirs.nodes()[other].0].into_iter().collect();
            }
        }
        if gone.is_empty() {
            return ControlFlow::Continue(());
        }
        push(
            sink,
            context.eliminations(gone, DigitSet::single(digit)),
            marks_of_two(digit, pattern, ours, theirs),
            lemmas,
        )
    })
}

/// A colour sees both colours of another cluster.
pub fn multi_2(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    each_two(context, sink, &mut |sink, digit, ours, theirs| {
        let mut gone = Vec::new();
        let mut lemmas: Vec<Lemma> = Vec::new();
        let mut pattern = CellSet::EMPTY;
        for side in [false, true] {
            let meetings = [false, true].map(|other_side| meeting(context, ours, side, theirs, other_side));
            let [Some((one, first)), Some((other, second))] = meetings else { continue };
            let premises = [ours.same_way(one, other), theirs.strong_way(&[first], &[second])].concat();
            let (refuted, proof) = ours.refute(context, one, premises);
            let offset = lemmas.len() as u32;
            lemmas.extend(proof.into_iter().map(|lemma| shifted(lemma, offset)));
            gone.extend(refuted);
            pattern |= [one, other].map(|node| ours.nodes()[node].0).into_iter().collect();
        }
        if gone.is_empty() {
            return ControlFlow::Continue(());
        }
        push(sink, gone, marks_of_two(digit, pattern, ours, theirs), lemmas)
    })
}

/// The lemma, with others before it.
fn shifted(mut lemma: Lemma, offset: u32) -> Lemma {
    if let Argument::Conflict { uses, .. } = &mut lemma.argument {
        uses.iter_mut().for_each(|used| *used += offset);
    }
    lemma
}

/// The first of a colour that sees one of a colour of another cluster, and the one it sees.
fn meeting(
    context: &Context<'_>,
    ours: &Cluster,
    side: bool,
    theirs: &Cluster,
    other_side: bool,
) -> Option<(usize, usize)> {
    if !ours.seen(side).meets(theirs.cells(other_side)) {
        return None;
    }
    let mut pairs = ours.side(side).flat_map(|one| theirs.side(other_side).map(move |other| (one, other)));
    pairs.find(|&(one, other)| conflict(context, ours.nodes()[one], theirs.nodes()[other]))
}

fn marks_of_two(digit: Digit, pattern: CellSet, ours: &Cluster, theirs: &Cluster) -> Vec<Mark> {
    let mut marks = vec![Mark::digit(Role::Digits, digit), Mark::cells(Role::Pattern, pattern)];
    marks.extend(ours.marks(false, Role::First));
    marks.extend(ours.marks(true, Role::Second));
    marks.extend(theirs.marks(false, Role::Third));
    marks.extend(theirs.marks(true, Role::Fourth));
    marks
}

fn each_cluster(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    visit: &mut dyn FnMut(&mut Sink<'_>, Digit, &Cluster) -> Flow,
) -> Flow {
    let clusters = DigitClusters::of(context);
    on_promising(context, sink, |sink, digits| {
        for digit in digits {
            sink.spend(1)?;
            for cluster in clusters.of_digit(context, digit) {
                sink.spend(cluster.nodes().len() as u64)?;
                visit(sink, digit, cluster)?;
            }
        }
        ControlFlow::Continue(())
    })
}

fn each_two(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    visit: &mut dyn FnMut(&mut Sink<'_>, Digit, &Cluster, &Cluster) -> Flow,
) -> Flow {
    let clusters = DigitClusters::of(context);
    on_promising(context, sink, |sink, digits| {
        for digit in digits {
            sink.spend(1)?;
            let clusters = clusters.of_digit(context, digit);
            for (index, ours) in clusters.iter().enumerate() {
                for (_, theirs) in clusters.iter().enumerate().filter(|&(other, _)| other != index) {
                    sink.spend(ours.nodes().len() as u64)?;
                    visit(sink, digit, ours, theirs)?;
                }
            }
        }
        ControlFlow::Continue(())
    })
}

/// Those of a colour that see a cell.
fn seeing(context: &Context<'_>, cluster: &Cluster, side: bool, cell: Cell) -> Vec<usize> {
    cluster.side(side).filter(|&node| context.peers(cell).contains(cluster.nodes()[node].0)).collect()
}

fn lemma(cell: Cell, digit: Digit, premises: Vec<Premise>) -> Lemma {
    let claims = smallvec![smallvec![Literal::is_not(cell, digit)]];
    Lemma { claims, argument: Argument::Conflict { premises: premises.into(), uses: Vec::new() } }
}

fn push(sink: &mut Sink<'_>, conclusions: Vec<Conclusion>, marks: Vec<Mark>, lemmas: Vec<Lemma>) -> Flow {
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    sink.push(conclusions, marks, Proof { lemmas: lemmas.into() })
}
