//! Nice loops and alternating inference chains, with single candidates, groups, and almost locked sets.
//!
//! ```text
//!  continuous      a = b - c = d - a       of every weak link one end is true
//!  AIC             a = b - c = d           one of the ends is true
//!  discontinuous   a - b = c - a           what contradicts itself is false
//! ```
//!
//! Rows with groups report what takes one, or is shorter with one; rows with almost locked sets likewise.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::explore::{Chains, Found, Kind};
use super::step;
use crate::engine::logic::CellSet;
use crate::engine::logic::context::Context;
use crate::engine::logic::links::{Graph, LockedSet, Reach};
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::puzzle::DigitSet;

const LOOP: Text = Text {
    en: "the loop {link} is closed, so one end of each of its weak links is true, and {target} can go",
    zh: "环 {link} 首尾相接，每条弱链必有一端为真，因此删去 {target}",
};

const LOOP_LESSON: Text = Text {
    en: "strong and weak links take turns all round the loop {link}, so either all its first nodes are true or all its second ones: of each weak link exactly one end is true, and {target}, which would be false either way, can go",
    zh: "环 {link} 上强弱链处处交替，节点必是隔一个为真：每条弱链恰有一端为真，无论哪种情况 {target} 都为假，可以删去",
};

const AIC_TEXT: Text = Text {
    en: "along the chain {link}, one of {pincer} is true, so {target} can go",
    zh: "沿着链 {link}，{pincer} 中必有一个为真，因此删去 {target}",
};

const AIC_LESSON: Text = Text {
    en: "a strong link says that one of its ends is true, a weak link that not both are; along {link} they take turns, so if one of {pincer} is false the other is true; whichever it is, {target} is false and can go",
    zh: "强链两端至少一真，弱链两端不同真；沿着 {link} 强弱交替，{pincer} 中一个为假则另一个为真；无论哪一个为真，{target} 都为假，可以删去",
};

const CONTRADICTION: Text = Text {
    en: "the loop {link} contradicts itself at {start}, so {target} can go",
    zh: "环 {link} 在 {start} 处自相矛盾，因此删去 {target}",
};

const CONTRADICTION_LESSON: Text = Text {
    en: "strong and weak links take turns along {link} but at {start}, where two of a kind meet: two weak links make it false as soon as it is taken for true, two strong ones true as soon as it is taken for false; so {target} can go",
    zh: "{link} 上强弱链交替，只在 {start} 处两条同类链相遇：两条弱链使它一旦为真便为假，两条强链使它一旦为假便为真；因此删去 {target}",
};

const fn row(
    slug: &'static str,
    name: Text,
    score: u32,
    find: fn(&Context<'_>, &mut Sink<'_>) -> Flow,
) -> Technique {
    Technique {
        slug,
        name,
        level: Level::Unfair,
        score,
        needs: Needs::NONE,
        on_path: true,
        find,
        sentence: AIC_TEXT,
        lesson: AIC_LESSON,
    }
}

/// Continuous nice loop.
pub const CONTINUOUS_NICE_LOOP: Technique = Technique {
    sentence: LOOP,
    lesson: LOOP_LESSON,
    ..row("continuous-nice-loop", Text { en: "Continuous nice loop", zh: "连续环" }, 280, continuous)
};

/// Alternating inference chain.
pub const AIC: Technique = row("aic", Text { en: "Alternating inference chain", zh: "交替推理链" }, 280, aic);

/// Discontinuous nice loop.
pub const DISCONTINUOUS_NICE_LOOP: Technique = Technique {
    sentence: CONTRADICTION,
    lesson: CONTRADICTION_LESSON,
    ..row(
        "discontinuous-nice-loop",
        Text { en: "Discontinuous nice loop", zh: "不连续环" },
        280,
        discontinuous,
    )
};

/// Continuous nice loop with groups.
pub const GROUPED_CONTINUOUS_NICE_LOOP: Technique = Technique {
    sentence: LOOP,
    lesson: LOOP_LESSON,
    ..row(
        "grouped-continuous-nice-loop",
        Text { en: "Grouped continuous nice loop", zh: "区块连续环" },
        300,
        grouped_continuous,
    )
};

/// Alternating inference chain with groups.
pub const GROUPED_AIC: Technique =
    row("grouped-aic", Text { en: "Grouped AIC", zh: "区块交替推理链" }, 300, grouped_aic);

/// Discontinuous nice loop with groups.
pub const GROUPED_DISCONTINUOUS_NICE_LOOP: Technique = Technique {
    sentence: CONTRADICTION,
    lesson: CONTRADICTION_LESSON,
    ..row(
        "grouped-discontinuous-nice-loop",
        Text { en: "Grouped discontinuous nice loop", zh: "区块不连续环" },
        300,
        grouped_discontinuous,
    )
};

/// Continuous nice loop with almost locked sets.
pub const ALS_CONTINUOUS_NICE_LOOP: Technique = Technique {
    on_path: false,
    sentence: LOOP,
    lesson: LOOP_LESSON,
    ..row(
        "als-continuous-nice-loop",
        Text { en: "Continuous nice loop with ALS", zh: "待定数组连续环" },
        380,
        als_continuous,
    )
};

/// Alternating inference chain with almost locked sets.
pub const ALS_AIC: Technique = Technique {
    on_path: false,
    ..row("als-aic", Text { en: "AIC with ALS", zh: "待定数组交替推理链" }, 380, als_aic)
};

/// Discontinuous nice loop with almost locked sets.
pub const ALS_DISCONTINUOUS_NICE_LOOP: Technique = Technique {
    on_path: false,
    sentence: CONTRADICTION,
    lesson: CONTRADICTION_LESSON,
    ..row(
        "als-discontinuous-nice-loop",
        Text { en: "Discontinuous nice loop with ALS", zh: "待定数组不连续环" },
        380,
        als_discontinuous,
    )
};

/// Closed chains of candidates.
pub fn continuous(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_plain(Kind::Loop, context, sink)
}

/// Chains between two candidates.
pub fn aic(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_plain(Kind::Ends, context, sink)
}

/// Chains of candidates that contradict their start.
pub fn discontinuous(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_plain(Kind::Contradiction, context, sink)
}

/// Closed chains with groups.
pub fn grouped_continuous(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_grouped(Kind::Loop, context, sink)
}

/// Chains with groups between two candidates.
pub fn grouped_aic(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_grouped(Kind::Ends, context, sink)
}

/// Chains with groups that contradict their start.
pub fn grouped_discontinuous(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_grouped(Kind::Contradiction, context, sink)
}

/// Closed chains with almost locked sets.
pub fn als_continuous(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_with_sets(Kind::Loop, context, sink)
}

/// Chains with almost locked sets between two candidates.
pub fn als_aic(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_with_sets(Kind::Ends, context, sink)
}

/// Chains with almost locked sets that contradict their start.
pub fn als_discontinuous(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report_with_sets(Kind::Contradiction, context, sink)
}

fn report_plain(kind: Kind, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    report(&plain(context, sink)?.0, (kind, &[]), context, sink)
}

fn report_grouped(kind: Kind, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let (plain, grouped) = (&plain(context, sink)?.0, &grouped(context, sink)?.0);
    let simpler = plain.get(kind, &[], context, sink)?;
    report(grouped, (kind, &[simpler]), context, sink)
}

fn report_with_sets(kind: Kind, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let (plain, grouped) = (&plain(context, sink)?.0, &grouped(context, sink)?.0);
    let with_sets = &with_sets(context, sink)?.0;
    let simpler = plain.get(kind, &[], context, sink)?;
    let simple = grouped.get(kind, &[simpler], context, sink)?;
    report(with_sets, (kind, &[simpler, simple]), context, sink)
}

/// Reports the chains of one kind, without what simpler ones say.
pub fn report(
    chains: &Chains,
    (kind, beyond): (Kind, &[&Found]),
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Flow {
    if kind == Kind::Ends && sink.wants_one() {
        let Some(first) = chains.first(beyond, context, sink)? else { return ControlFlow::Continue(()) };
        step::push(&chains.graph, &first, context, sink)?;
    }
    for chain in &chains.get(kind, beyond, context, sink)?.chains {
        step::push(&chains.graph, chain, context, sink)?;
    }
    ControlFlow::Continue(())
}

/// The chains of a position, which three rows share.
pub struct Plain(pub Chains);
struct Grouped(Chains);
struct WithSets(Chains);

/// The chains of candidates.
pub fn plain(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Rc<Plain>> {
    if let Some(known) = context.derived() {
        return ControlFlow::Continue(known);
    }
    let graph = Graph::new(context, Reach::Cells, Vec::new());
    let chains = Chains::of(graph, false, sink)?;
    ControlFlow::Continue(context.keep(Plain(chains)))
}

fn grouped(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Rc<Grouped>> {
    if let Some(known) = context.derived() {
        return ControlFlow::Continue(known);
    }
    let graph = plain(context, sink)?.0.graph.with_groups(context);
    let chains = Chains::of(graph, false, sink)?;
    ControlFlow::Continue(context.keep(Grouped(chains)))
}

fn with_sets(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Rc<WithSets>> {
    if let Some(known) = context.derived() {
        return ControlFlow::Continue(known);
    }
    let graph = Graph::new(context, Reach::LockedSets, locked_sets(context, sink)?);
    let chains = Chains::of(graph, false, sink)?;
    ControlFlow::Continue(context.keep(WithSets(chains)))
}

/// A set of more cells is one of few digits seen from the other side, and nobody looks for it.
const MAX_SET: usize = 5;

/// More sets than this make no graph.
const MOST_SETS: usize = 1000;

/// The almost locked sets of two cells and more, each once.
fn locked_sets(context: &Context<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Vec<LockedSet>> {
    let mut known = std::collections::HashSet::new();
    let mut sets = Vec::new();
    for house in context.puzzle().house_ids() {
        let cells: Vec<_> = (context.house(house) & context.open()).iter().collect();
        // Choices still to be grown: the cells, their digits, and where to go on.
        let mut open = vec![(CellSet::EMPTY, DigitSet::EMPTY, 0)];
        while let Some((chosen, digits, from)) = open.pop() {
            sink.spend(1)?;
            let count = chosen.len();
            if count >= 2 && digits.len() == count + 1 && known.insert(chosen) {
                sets.push(LockedSet { cells: chosen, digits });
            }
            if count == MAX_SET.min(cells.len().saturating_sub(1)) {
                continue;
            }
            for (place, &cell) in cells.iter().enumerate().skip(from) {
                let digits = digits | context.candidates(cell);
                if digits.len() <= MAX_SET + 1 {
                    open.push((chosen | CellSet::single(cell), digits, place + 1));
                }
            }
        }
    }
    // The graph takes memory by the square of its nodes. Whole sizes go, so that every face keeps the same sets.
    let mut largest = MAX_SET;
    while sets.len() > MOST_SETS {
        largest -= 1;
        sets.retain(|set: &LockedSet| set.cells.len() <= largest);
    }
    ControlFlow::Continue(sets)
}
