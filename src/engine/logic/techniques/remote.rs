//! Remote pairs: cells of the same two digits in a chain, each seeing the next, hold them in turn.
//!
//! ```text
//!  ab ─ ab ─ ab ─ ab     the ends differ, so a cell that sees both holds neither a nor b
//! ```

use std::ops::ControlFlow;

use smallvec::{SmallVec, smallvec};

use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Argument, CellSet, Lemma, Literal, Mark, Premise, Proof, Role};
use crate::puzzle::{Cell, DigitSet};

/// Remote pair.
pub const REMOTE_PAIR: Technique = Technique {
    slug: "remote-pair",
    name: Text { en: "Remote pair", zh: "远程数对" },
    level: Level::Hard,
    score: 130,
    needs: Needs::NONE,
    on_path: true,
    find: remote_pair,
    sentence: Text {
        en: "along {pattern} the digits {digits} take turns, so its ends hold both of them and {target} can go",
        zh: "{digits} 沿 {pattern} 交替出现，两端恰好各填其一，因此删去 {target}",
    },
    lesson: Text {
        en: "each of {pattern} holds one of {digits}, and each sees the next, so the two digits take turns; cells an odd number of steps apart hold one each; a cell that sees two such cells can hold neither digit, so {target} can go",
        zh: "{pattern} 各格都填 {digits} 之一，且每格看到下一格，所以两个数字交替出现；相隔奇数步的两格各填其一；同时看到这样两格的格不能填其中任何一个，因此删去 {target}",
    },
};

/// Chains of an even number of cells, four or more.
pub fn remote_pair(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let cells = context.bivalue().iter().map(|cell| (cell, context.candidates(cell)));
    let cells: SmallVec<[(Cell, DigitSet); 32]> = cells.collect();
    for (place, (_, digits)) in cells.iter().enumerate() {
        sink.spend(1)?;
        let is_alike = |(_, other): &&(Cell, DigitSet)| other == digits;
        if cells[..place].iter().any(|cell| is_alike(&cell)) {
            continue;
        }
        let group = || cells[place..].iter().filter(is_alike).map(|(cell, _)| *cell);
        if group().count() >= 4 {
            let group: CellSet = group().collect();
            for start in group {
                extend(context, sink, &mut vec![start], group - CellSet::single(start))?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Goes on to each cell seen that is left. Each chain is met from its smaller end.
fn extend(context: &Context<'_>, sink: &mut Sink<'_>, chain: &mut Vec<Cell>, left: CellSet) -> Flow {
    sink.spend(1)?;
    let end = chain[chain.len() - 1];
    if chain.len() >= 4 && chain.len().is_multiple_of(2) && chain[0] < end {
        push(context, sink, chain)?;
    }
    for cell in left & context.peers(end) {
        chain.push(cell);
        extend(context, sink, chain, left - CellSet::single(cell))?;
        chain.pop();
    }
    ControlFlow::Continue(())
}

/// What is seen by two cells of the chain with two cells or more between them, an even number.
fn push(context: &Context<'_>, sink: &mut Sink<'_>, chain: &[Cell]) -> Flow {
    let cells: CellSet = chain.iter().copied().collect();
    let digits = context.candidates(chain[0]);
    let mut gone = CellSet::EMPTY;
    for (place, &one) in chain.iter().enumerate() {
        for &other in chain.iter().skip(place + 3).step_by(2) {
            gone |= context.peers(one) & context.peers(other);
        }
    }
    let conclusions = context.eliminations(gone - cells, digits);
    let mut lemmas = Vec::new();
    for of_cell in conclusions.chunk_by(|one, other| one.cell() == other.cell()) {
        let Some(way) = shortest_way(context, chain, context.peers(of_cell[0].cell()) & cells) else {
            continue;
        };
        let claims = of_cell.iter().map(|&conclusion| smallvec![Literal::from(conclusion)]).collect();
        // A way may cross itself where the puzzle has no solution.
        let on_way: CellSet = way.into_iter().collect();
        let premises = on_way.iter().map(Premise::Cell).collect();
        lemmas.push(Lemma { claims, argument: Argument::Conflict { premises, uses: Vec::new() } });
    }
    if conclusions.is_empty() {
        return ControlFlow::Continue(());
    }
    let marks = vec![Mark::cells(Role::Pattern, cells), Mark::digits(Role::Digits, digits)];
    sink.push(conclusions, marks, Proof { lemmas: lemmas.into() })
}

/// The shortest way along cells of the chain, of an odd number of steps, between two of these ends.
fn shortest_way(context: &Context<'_>, chain: &[Cell], ends: CellSet) -> Option<Vec<Cell>> {
    let cells: CellSet = chain.iter().copied().collect();
    let mut shortest: Option<Vec<Cell>> = None;
    for start in ends {
        let mut ways = vec![vec![start]];
        // Cells met after an even, and after an odd number of them.
        let mut seen = [CellSet::EMPTY, CellSet::single(start)];
        let mut next = 0;
        while let Some(way) = ways.get(next).cloned() {
            next += 1;
            let end = way[way.len() - 1];
            if way.len().is_multiple_of(2) && ends.contains(end) {
                if shortest.as_ref().is_none_or(|found| way.len() < found.len()) {
                    shortest = Some(way);
                }
                break;
            }
            let seen = &mut seen[(way.len() + 1) % 2];
            for cell in (cells & context.peers(end)) - *seen {
                seen.insert(cell);
                ways.push([&way[..], &[cell]].concat());
            }
        }
    }
    shortest
}
