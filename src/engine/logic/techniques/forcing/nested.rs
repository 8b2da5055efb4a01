//! Forcing chains within which more is used than last candidates and last places: patterns, chains, other nets. What
//! Sudoku Explainer calls dynamic forcing chains (+) and nested forcing chains.
//!
//! A row asks from each candidate, true and false, what follows; what contradicts itself is false, and what the two
//! states of a candidate, the candidates of a cell or the places of a digit in a house have in common is so. A row looks
//! only where rows that use less find nothing.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::account::Account;
use super::kept::Kept;
use super::net::{Field, Ground, Links, Net};
use super::within::{Closures, Power, enter, groups, starts};
use super::{MOST_NESTED, conclusion, has_nested, way_marks};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{CellList, Literal, Mark, Proof, Role, Shape};
use crate::puzzle::DigitSet;

/// Dynamic forcing chains (+).
pub const DYNAMIC_FORCING_CHAINS_PLUS: Technique = Technique {
    slug: "dynamic-forcing-chains-plus",
    name: Text { en: "Dynamic forcing chains (+)", zh: "动态强制链（+）" },
    level: Level::Extreme,
    score: 800,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| find(context, sink, Rung::Patterns),
    sentence: Text {
        en: "whichever way {start} turns out, nets that place {count} in all, with locked candidates, pairs and X-wings on the way, lead to the same end: {conclusion}",
        zh: "无论 {start} 的结果如何，途中还用到区块、数对与 X 翼的强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "take each way in which {start} can turn out and gather all that follows, where what has gone stays away; what is left shows locked candidates, pairs and X-wings that the board itself does not have, and they take further candidates (placements in all: {count}); every way that does not contradict itself has the same end, which is therefore so: {conclusion}",
        zh: "分别考虑 {start} 的每种可能，收集其全部推论，删去的候选数不再恢复；剩下的候选数会出现盘面上原本没有的区块、数对与 X 翼，由此又可删去候选数（共 {count} 次填数）；凡不自相矛盾的情形都得到同一结果，所以它成立：{conclusion}",
    },
};

/// Nested forcing chains.
pub const NESTED_FORCING_CHAINS: Technique = Technique {
    slug: "nested-forcing-chains",
    name: Text { en: "Nested forcing chains", zh: "嵌套强制链" },
    level: Level::Extreme,
    score: 850,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| find(context, sink, Rung::Chains),
    sentence: Text {
        en: "whichever way {start} turns out, nets that place {count} in all, with forcing chains nested in them, lead to the same end: {conclusion}",
        zh: "无论 {start} 的结果如何，内嵌强制链的强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "take each way in which {start} can turn out and gather all that follows; where that leads no further, look for chains in what is left: a candidate from which a chain leads to its own opposite goes, and the net runs on (placements in all: {count}); every way that does not contradict itself has the same end, which is therefore so: {conclusion}",
        zh: "分别考虑 {start} 的每种可能，收集其全部推论；推不下去时，在剩下的候选数中寻找强制链：若从某个候选数出发的链得出它自身不成立，则删去它，强制网继续推下去（共 {count} 次填数）；凡不自相矛盾的情形都得到同一结果，所以它成立：{conclusion}",
    },
};

/// Nested multiple forcing chains.
pub const NESTED_MULTIPLE_CHAINS: Technique = Technique {
    slug: "nested-multiple-forcing-chains",
    name: Text { en: "Nested multiple forcing chains", zh: "嵌套多重强制链" },
    level: Level::Extreme,
    score: 900,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| find(context, sink, Rung::Multiple),
    sentence: Text {
        en: "whichever way {start} turns out, nets that place {count} in all, with cell and house forcing chains nested in them, lead to the same end: {conclusion}",
        zh: "无论 {start} 的结果如何，内嵌单元格强制链与区域强制链的强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "take each way in which {start} can turn out and gather all that follows; where that leads no further, look for cell and house forcing chains in what is left: a candidate that would leave a cell or a house with nothing at the ends of its chains goes, and the net runs on (placements in all: {count}); every way that does not contradict itself has the same end, which is therefore so: {conclusion}",
        zh: "分别考虑 {start} 的每种可能，收集其全部推论；推不下去时，在剩下的候选数中寻找单元格强制链与区域强制链：若从某个候选数出发的各条链使某格或某区域无处可填，则删去它，强制网继续推下去（共 {count} 次填数）；凡不自相矛盾的情形都得到同一结果，所以它成立：{conclusion}",
    },
};

/// Nested dynamic forcing chains.
pub const NESTED_DYNAMIC_CHAINS: Technique = Technique {
    slug: "nested-dynamic-forcing-chains",
    name: Text { en: "Nested dynamic forcing chains", zh: "嵌套动态强制链" },
    level: Level::Extreme,
    score: 1100,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| find(context, sink, Rung::Nets),
    sentence: Text {
        en: "whichever way {start} turns out, nets that place {count} in all, with forcing nets nested in them, lead to the same end: {conclusion}",
        zh: "无论 {start} 的结果如何，内嵌强制网的强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "take each way in which {start} can turn out and gather all that follows; where that leads no further, use forcing nets on what is left: what contradicts itself goes, what all candidates of a cell or all places of a digit in a house lead to is so, and the first net runs on (placements in all: {count}); every way that does not contradict itself has the same end, which is therefore so: {conclusion}",
        zh: "分别考虑 {start} 的每种可能，收集其全部推论；推不下去时，对剩下的候选数再用强制网：自相矛盾的删去，某格的全部候选数或某数字在某区域的全部位置共同推出的结果成立，第一层强制网继续推下去（共 {count} 次填数）；凡不自相矛盾的情形都得到同一结果，所以它成立：{conclusion}",
    },
};

/// How much is used within, each more than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rung {
    Plain,
    Patterns,
    Chains,
    Multiple,
    /// Nets that contradict themselves within nets that contradict themselves.
    Contradictions,
    Nets,
}

impl Rung {
    const ALL: [Rung; 6] =
        [Rung::Plain, Rung::Patterns, Rung::Chains, Rung::Multiple, Rung::Contradictions, Rung::Nets];

    /// What is used; none where that is said otherwise.
    fn power(self) -> Option<Power> {
        match self {
            Rung::Plain => Some(Power::Plain),
            Rung::Patterns => Some(Power::Patterns),
            Rung::Chains => Some(Power::Chains),
            Rung::Multiple => Some(Power::Multiple),
            Rung::Contradictions => None,
            Rung::Nets => Some(Power::Nets),
        }
    }
}

/// On which rungs of a position anything is found, so far as they were looked at.
#[derive(Default)]
struct Ladder {
    finds: RefCell<[Option<bool>; 6]>,
}

impl Ladder {
    fn finds(&self, rung: Rung) -> Option<bool> {
        self.finds.borrow()[rung as usize]
    }

    fn note(&self, rung: Rung, is_found: bool) {
        self.finds.borrow_mut()[rung as usize] = Some(is_found);
    }
}

/// What a rung finds, if those below find nothing.
fn find(context: &Context<'_>, sink: &mut Sink<'_>, rung: Rung) -> Flow {
    let field = Field::new(context);
    if rung > Rung::Patterns && field.starts().count() > MOST_NESTED {
        return ControlFlow::Continue(());
    }
    let ladder = context.derived::<Ladder>().unwrap_or_else(|| context.keep(Ladder::default()));
    let mut net = Net::new(&field, Links::Dynamic);
    for below in Rung::ALL.into_iter().take_while(|&below| below < rung) {
        let is_found = match ladder.finds(below) {
            Some(is_found) => is_found,
            None => is_any_found(&mut net, below, sink)?,
        };
        ladder.note(below, is_found);
        if is_found {
            return ControlFlow::Continue(());
        }
    }
    let Some(power) = rung.power() else { return ControlFlow::Continue(()) };
    let mut is_found = false;
    let flow = search(&mut net, power, sink, &mut |net, found, sink| {
        is_found = true;
        ladder.note(rung, true);
        push(net, power, found, sink)
    });
    if flow.is_continue() {
        ladder.note(rung, is_found);
    }
    flow
}

/// Whether a rung finds anything.
fn is_any_found(net: &mut Net<'_>, rung: Rung, sink: &mut Sink<'_>) -> ControlFlow<(), bool> {
    let Some(power) = rung.power() else { return has_nested(net.field(), sink) };
    let mut is_found = false;
    let flow = search(net, power, sink, &mut |_, _, _| {
        is_found = true;
        ControlFlow::Break(())
    });
    match flow {
        ControlFlow::Break(()) if !is_found => ControlFlow::Break(()),
        _ => ControlFlow::Continue(is_found),
    }
}

/// Something found: what is so, the starts that say it, and why that is enough; none where the one start contradicts
/// itself.
struct Found<'f> {
    literal: Literal,
    starts: &'f [Literal],
    ground: Option<Ground>,
}

/// Who takes what is found, with the net as it was before.
type Take<'t> = dyn FnMut(&mut Net<'_>, &Found<'_>, &mut Sink<'_>) -> Flow + 't;

/// Looks for all that nets of this power say together.
fn search(net: &mut Net<'_>, power: Power, sink: &mut Sink<'_>, take: &mut Take<'_>) -> Flow {
    net.clear();
    let kept = net.field().context.lasting(Kept::default);
    kept.turn_to(net.field());
    let mut closures = Closures::new(net);
    for start in starts(net, power) {
        match kept.follow(net, start, power, sink)? {
            Some(closure) => closures.put(start, closure),
            None => take(net, &Found { literal: start.negated(), starts: &[start], ground: None }, sink)?,
        }
    }
    for (starts, ground) in groups(net) {
        sink.spend(2)?;
        for literal in closures.common(&starts) {
            if net.is_undecided(literal) {
                take(net, &Found { literal, starts: &starts, ground: Some(ground) }, sink)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Reports it. Its branches are made again: most of what is found is counted alone.
fn push(net: &mut Net<'_>, power: Power, found: &Found<'_>, sink: &mut Sink<'_>) -> Flow {
    let conclusions = vec![conclusion(found.literal)];
    if !sink.wants_steps() {
        return sink.push(conclusions, Vec::new(), Proof::default());
    }
    let mut branches = Vec::new();
    let mut ended = None;
    for &start in found.starts {
        ended = enter(net, start, power, sink)?;
        branches.push(net.leave());
    }
    let ground = found.ground.or(ended.map(Ground::Refuted)).expect("what contradicts itself does so again");
    let aside = net.aside(branches, ground);
    let account = Account::of_aside(net, &aside, found.literal);
    let mut marks = vec![start_mark(found.starts, ground)];
    way_marks(&account, &mut marks);
    sink.push(conclusions, marks, Proof { lemmas: account.lemmas.into() })
}

/// Points at what turns out one way or another: a cell, or a digit in one cell or more.
fn start_mark(starts: &[Literal], ground: Ground) -> Mark {
    match ground {
        Ground::Cell(cell) => Mark::cell(Role::Start, cell),
        Ground::Refuted(_) | Ground::Either | Ground::House(..) => {
            let mut cells: CellList = starts.iter().map(|start| start.cell).collect();
            cells.dedup();
            let digits = DigitSet::single(starts[0].digit);
            Mark::new(Role::Start, Shape::Candidates { cells, digits })
        }
    }
}
