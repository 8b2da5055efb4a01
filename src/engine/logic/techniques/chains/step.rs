//! A chain as a step: what is shown, and why it is so.

use std::collections::HashSet;

use super::search::{Chain, Kind, needed_links};
use crate::engine::logic::context::Context;
use crate::engine::logic::links::Graph;
use crate::engine::logic::path::Facts;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::Flow;
use crate::engine::logic::verify::{NodeCap, verify};
use crate::engine::logic::{Argument, Conclusion, Link, Literal, Mark, Proof, Role, Shape, Slug, Step};
use crate::puzzle::DigitSet;

/// Reports a chain.
pub fn push(graph: &Graph, chain: &Chain, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    debug_assert!(chain.nodes.len() % 2 == 0 && chain.reasons.len() * 2 == chain.nodes.len());
    let conclusions: Vec<Conclusion> = chain
        .gone
        .iter()
        .map(|&gone| Conclusion::Eliminate(graph.cell(gone), graph.node(gone).digit))
        .collect();
    debug_assert!(conclusions.iter().all(|conclusion| conclusion.is_news(context.position())));
    let mut premises = Vec::new();
    for (place, is_needed) in needed_links(graph, chain).into_iter().enumerate() {
        if is_needed {
            let digit = graph.node(chain.nodes[2 * place]).digit;
            graph.push_premises(chain.reasons[place], digit, &mut premises);
        }
    }
    let mut known = HashSet::new();
    premises.retain(|premise| known.insert(premise.clone()));
    let mut proof = Proof::by_conflict(conclusions.iter().copied().map(Literal::from), premises);
    if chain.reasons.iter().any(|&reason| graph.locked_cells(reason).is_some()) {
        proof = without_spare(proof, &conclusions, context);
    }
    sink.push(conclusions, marks(graph, chain), proof)
}

/// Leaves out cells that a proof can do without. Of a locked set not every cell is always needed, and which are
/// depends on what the set leaves to each: the checker knows best, and such chains are few.
fn without_spare(proof: Proof, conclusions: &[Conclusion], context: &Context<'_>) -> Proof {
    let (technique, marks) = (Slug::of("chain"), Vec::new());
    let mut step = Step { technique, conclusions: conclusions.to_vec(), marks, proof };
    let mut place = 0;
    while let Argument::Conflict { premises, .. } = &mut step.proof.lemmas[0].argument {
        if place == premises.len() {
            break;
        }
        let spare = premises.remove(place);
        if verify(context.position(), &step, Facts::default(), NodeCap::default()).is_ok() {
            continue;
        }
        if let Argument::Conflict { premises, .. } = &mut step.proof.lemmas[0].argument {
            premises.insert(place, spare);
        }
        place += 1;
    }
    step.proof
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
