//! A chain as a step: what is shown, and why it is so.

use std::collections::HashSet;

use smallvec::smallvec;

use super::explore::{Chain, Kind, needed_links};
use crate::engine::logic::context::Context;
use crate::engine::logic::links::{Graph, NodeKind};
use crate::engine::logic::path::Facts;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::verify::{NodeCap, verify};
use crate::engine::logic::{
    Argument, CellSet, Claim, Conclusion, Lemma, Link, Literal, Mark, Proof, Role, Shape, Slug, Step,
};
use crate::puzzle::{Digit, DigitSet};

/// Reports a chain.
pub fn push(graph: &Graph, chain: &Chain, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    debug_assert!(chain.nodes.len().is_multiple_of(2) && chain.reasons.len() * 2 == chain.nodes.len());
    let conclusions: Vec<Conclusion> = chain
        .gone
        .iter()
        .map(|&gone| Conclusion::Eliminate(graph.cell(gone), graph.node(gone).digit))
        .collect();
    debug_assert!(conclusions.iter().all(|conclusion| conclusion.is_news(context.position())));
    let mut proof = proof(graph, chain, &conclusions);
    if is_branching(graph, chain) {
        proof = without_spare(proof, &conclusions, context);
    }
    sink.push(conclusions, marks(graph, chain), proof)
}

/// What goes conflicts with the strong links. Those that rest on a locked set are lemmas: of two of its digits one is
/// there.
fn proof(graph: &Graph, chain: &Chain, conclusions: &[Conclusion]) -> Proof {
    let (mut premises, mut lemmas) = (Vec::new(), Vec::new());
    // Going round a loop takes all its links, whatever of it a single conclusion would take.
    let takes_all = chain.kind == Kind::Loop && is_branching(graph, chain);
    for (place, is_needed) in needed_links(graph, chain).into_iter().enumerate() {
        if !is_needed && !takes_all {
            continue;
        }
        let (one, other) = (chain.nodes[2 * place], chain.nodes[2 * place + 1]);
        let reason = chain.reasons[place];
        match graph.locked_cells(reason) {
            None => graph.push_premises(reason, graph.node(one).digit, &mut premises),
            Some((cells, digits)) => {
                let mut of_set = Vec::new();
                graph.push_premises(reason, graph.node(one).digit, &mut of_set);
                let holds = |cells: CellSet, digit: Digit| {
                    cells
                        .iter()
                        .filter(move |&cell| graph.candidate(cell, digit).is_some())
                        .map(move |cell| Literal::is(cell, digit))
                };
                let ends = [one, other].map(|node| *graph.node(node));
                let mut claims: Vec<Claim> =
                    vec![ends.iter().flat_map(|end| holds(end.cells, end.digit)).collect()];
                // What goes around the set in a loop needs that either end is there without the digit.
                let around = |digit: &Digit| {
                    chain.kind == Kind::Loop
                        && ends.iter().all(|end| end.digit != *digit)
                        && is_around(graph, chain, cells, *digit)
                };
                for digit in digits.iter().filter(around) {
                    for end in &ends {
                        claims.push(holds(end.cells, end.digit).chain(holds(cells, digit)).collect());
                    }
                }
                lemmas.push(Lemma {
                    claims: claims.into(),
                    argument: Argument::Conflict { premises: of_set.into(), uses: Vec::new() },
                });
            }
        }
    }
    let mut known = HashSet::new();
    premises.retain(|premise| known.insert(premise.clone()));
    let claims = conclusions.iter().map(|&conclusion| smallvec![Literal::from(conclusion)]).collect();
    let mut uses: Vec<u32> = (0..lemmas.len() as u32).collect();
    if is_branching(graph, chain) && chain.kind == Kind::Loop {
        let argument = Argument::Conflict { premises: std::mem::take(&mut premises).into(), uses };
        uses = vec![lemmas.len() as u32];
        lemmas.push(Lemma { claims: weak_claims(graph, chain).into(), argument });
    }
    lemmas.push(Lemma { claims, argument: Argument::Conflict { premises: premises.into(), uses } });
    Proof { lemmas: lemmas.into() }
}

/// Whether some node is more than a candidate, so that its being true is a choice.
fn is_branching(graph: &Graph, chain: &Chain) -> bool {
    chain.nodes.iter().any(|&node| graph.node(node).kind != NodeKind::Candidate)
}

/// What going round a loop shows once for all that goes: of a weak link one end is true, and a locked set holds each
/// of its other digits.
fn weak_claims(graph: &Graph, chain: &Chain) -> Vec<Claim> {
    let holds = |cells: CellSet, digit: Digit| {
        let cells = cells.iter().filter(move |&cell| graph.candidate(cell, digit).is_some());
        cells.map(move |cell| Literal::is(cell, digit)).collect::<Claim>()
    };
    let count = chain.nodes.len();
    let mut claims = Vec::new();
    for place in (1..count).step_by(2) {
        let ends = [chain.nodes[place], chain.nodes[(place + 1) % count]];
        if chain.gone.iter().any(|&gone| ends.iter().all(|&end| graph.is_weak(gone, end))) {
            claims.push(
                ends.iter().flat_map(|&end| holds(graph.node(end).cells, graph.node(end).digit)).collect(),
            );
        }
    }
    for (place, &reason) in chain.reasons.iter().enumerate() {
        let ends = [chain.nodes[2 * place], chain.nodes[2 * place + 1]].map(|node| graph.node(node).digit);
        let Some((cells, digits)) = graph.locked_cells(reason) else { continue };
        for digit in digits.iter().filter(|digit| !ends.contains(digit)) {
            if is_around(graph, chain, cells, digit) {
                claims.push(holds(cells, digit));
            }
        }
    }
    claims
}

/// Whether anything that goes sees a digit wherever it stands in these cells.
fn is_around(graph: &Graph, chain: &Chain, cells: CellSet, digit: Digit) -> bool {
    let mut is_around = false;
    graph.each_around(cells, digit, &mut |gone| is_around |= chain.gone.contains(&gone));
    is_around
}

/// Leaves out premises that a proof can do without. What goes may see part of a group or of a locked set, and which
/// links that spares depends on the rest: the checker knows best, and chains are short.
pub fn without_spare(proof: Proof, conclusions: &[Conclusion], context: &Context<'_>) -> Proof {
    let (technique, marks) = (Slug::of("chain"), Vec::new());
    let mut step = Step::new(technique, conclusions, marks, proof);
    // The last first: what only those rest on that have gone is spare too.
    for spare in (0..step.proof().lemmas.len().saturating_sub(1)).rev() {
        let whole = step.proof().into_owned();
        let proof = step.proof_mut();
        proof.lemmas.remove(spare);
        for lemma in &mut proof.lemmas {
            if let Argument::Conflict { uses, .. } = &mut lemma.argument {
                uses.retain(|&used| used != spare as u32);
                uses.iter_mut().filter(|used| **used > spare as u32).for_each(|used| *used -= 1);
            }
        }
        if !holds(&step, context) {
            *step.proof_mut() = whole;
        }
    }
    for lemma in 0..step.proof().lemmas.len() {
        let mut place = 0;
        while let Argument::Conflict { premises, .. } = &mut step.proof_mut().lemmas[lemma].argument {
            if place == premises.len() {
                break;
            }
            let spare = premises.remove(place);
            if holds(&step, context) {
                continue;
            }
            if let Argument::Conflict { premises, .. } = &mut step.proof_mut().lemmas[lemma].argument {
                premises.insert(place, spare);
            }
            place += 1;
        }
    }
    step.proof().into_owned()
}

fn holds(step: &Step, context: &Context<'_>) -> bool {
    verify(context.position(), step, Facts::default(), NodeCap::default()).is_ok()
}

fn marks(graph: &Graph, chain: &Chain) -> Vec<Mark> {
    let (first, last) = (chain.nodes[0], chain.nodes[chain.nodes.len() - 1]);
    let node = |role: Role, node: u16| {
        let node = graph.node(node);
        let cells = node.cells.iter().collect();
        Mark::new(role, Shape::Candidates { cells, digits: DigitSet::single(node.digit) })
    };
    let mut marks: Vec<Mark> = Vec::with_capacity(chain.nodes.len() + 3);
    let mut link = |from: u16, to: u16, strong: bool| {
        let (one, other) = (graph.node(from), graph.node(to));
        let link = Link {
            from: one.cells.iter().collect(),
            from_digit: one.digit,
            to: other.cells.iter().collect(),
            to_digit: other.digit,
            strong,
        };
        marks.push(Mark::new(Role::Link, Shape::Link(link)));
    };
    let start = chain.start.filter(|&start| start != first);
    if let Some(start) = start {
        link(start, first, false);
    }
    for (place, pair) in chain.nodes.windows(2).enumerate() {
        link(pair[0], pair[1], place % 2 == 0);
    }
    match (chain.kind, start) {
        (Kind::Loop, _) => link(last, first, false),
        (_, Some(start)) => link(last, start, false),
        _ => {}
    }
    match chain.kind {
        Kind::Loop => {}
        Kind::Ends => marks.extend([node(Role::Pincer, first), node(Role::Pincer, last)]),
        Kind::Contradiction => marks.push(node(Role::Start, chain.start.unwrap_or(first))),
    }
    marks
}
