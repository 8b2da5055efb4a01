//! Forcing chains and nets: what follows from every candidate of a cell or every place of a digit, and what leads to
//! a contradiction.
//!
//! Read [`net`] (what follows from an assumption), then [`account`] (its proof), [`within`] (what follows once patterns,
//! chains and nets are used within: `patterns`, `reach`) and [`nested`] (its rows, and `kept`, what they remember along a
//! path). No branch rests on a uniqueness pattern: a net knows cells and houses alone.

pub mod account;
mod kept;
pub mod nested;
pub mod net;
mod patterns;
mod reach;
pub mod within;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use smallvec::smallvec;

use super::chains::nice::{Plain, plain};
use crate::engine::logic::context::Context;
use crate::engine::logic::links::Consequences;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::engine::logic::{Conclusion, Literal, Mark, Premise, Proof, Role, Shape};
use crate::puzzle::{Cell, Digit, DigitSet};
use account::Account;
use net::{Closure, End, Field, Links, Net, Tried};

/// Nishio.
pub const NISHIO: Technique = Technique {
    slug: "nishio",
    name: Text { en: "Nishio", zh: "Nishio 法" },
    level: Level::Extreme,
    score: 500,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| contradictions(context, sink, Links::Digit),
    sentence: Text {
        en: "with {start} there would be no way to place the other {digits}, so {target} can go",
        zh: "若 {start} 成立，其余的 {digits} 便无处可放，因此删去 {target}",
    },
    lesson: Text {
        en: "follow one digit alone: with {start}, the last places of {digits} in other houses are forced one after the other, until a house has none left; so {target} can go",
        zh: "只看一个数字：若 {start} 成立，其他区域中 {digits} 的唯一位置接连被确定，直到某个区域已无位置；因此删去 {target}",
    },
};

/// Cell forcing chain.
pub const CELL_FORCING_CHAIN: Technique = Technique {
    slug: "cell-forcing-chain",
    name: Text { en: "Cell forcing chain", zh: "单元格强制链" },
    level: Level::Extreme,
    score: 510,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| cells(context, sink, Links::Fixed),
    sentence: Text {
        en: "whichever digit {start} holds, chains that place {count} in all lead to the same end: {conclusion}",
        zh: "无论 {start} 填哪个候选数，各条强制链（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "one of the candidates of {start} is right; from each of them a chain, in which every placement follows from one thing before it, leads to the same end (placements in all: {count}), which is therefore so: {conclusion}",
        zh: "{start} 的候选数必有一个正确；从每个候选数出发，沿着每步只依据前面一个结果的链（共 {count} 次填数），都得到同一结果，所以它成立：{conclusion}",
    },
};

/// House forcing chain.
pub const HOUSE_FORCING_CHAIN: Technique = Technique {
    slug: "house-forcing-chain",
    name: Text { en: "House forcing chain", zh: "区域强制链" },
    level: Level::Extreme,
    score: 520,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| houses(context, sink, Links::Fixed),
    sentence: Text {
        en: "wherever {digits} stands in {base}, chains that place {count} in all lead to the same end: {conclusion}",
        zh: "无论{base}的 {digits} 在哪一格，各条强制链（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "{digits} stands in one of its places in {base}; from each of them a chain, in which every placement follows from one thing before it, leads to the same end (placements in all: {count}), which is therefore so: {conclusion}",
        zh: "{base}的 {digits} 必在其候选位置之一；从每个位置出发，沿着每步只依据前面一个结果的链（共 {count} 次填数），都得到同一结果，所以它成立：{conclusion}",
    },
};

/// Contradiction net.
pub const CONTRADICTION_NET: Technique = Technique {
    slug: "contradiction-net",
    name: Text { en: "Contradiction net", zh: "矛盾强制网" },
    level: Level::Extreme,
    score: 700,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| contradictions(context, sink, Links::Dynamic),
    sentence: Text {
        en: "with {start}, a net of forced placements (in all: {count}) ends in a contradiction, so {target} can go",
        zh: "若 {start} 成立，经强制网（共 {count} 次填数）得到矛盾，因此删去 {target}",
    },
    lesson: Text {
        en: "suppose {start}; every candidate that goes stays away, so that last candidates and last places follow from several others together; such placements (in all: {count}) leave a cell or a house with nothing, so {target} can go",
        zh: "假设 {start} 成立；删去的候选数不再恢复，因此唯一候选数与唯一位置可由多处共同推出；经 {count} 次填数后某格或某区域已无可填，因此删去 {target}",
    },
};

/// Cell forcing net.
pub const CELL_FORCING_NET: Technique = Technique {
    slug: "cell-forcing-net",
    name: Text { en: "Cell forcing net", zh: "单元格强制网" },
    level: Level::Extreme,
    score: 720,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| cells(context, sink, Links::Dynamic),
    sentence: Text {
        en: "whichever digit {start} holds, nets that place {count} in all lead to the same end: {conclusion}",
        zh: "无论 {start} 填哪个候选数，强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "one of the candidates of {start} is right; for each of them gather all that follows, where what has gone stays away (placements in all: {count}); every case has the same end, which is therefore so: {conclusion}",
        zh: "{start} 的候选数必有一个正确；分别收集每种情形的全部推论，删去的候选数不再恢复（共 {count} 次填数）；各种情形都得到同一结果，所以它成立：{conclusion}",
    },
};

/// House forcing net.
pub const HOUSE_FORCING_NET: Technique = Technique {
    slug: "house-forcing-net",
    name: Text { en: "House forcing net", zh: "区域强制网" },
    level: Level::Extreme,
    score: 740,
    needs: Needs::NONE,
    on_path: true,
    find: |context, sink| houses(context, sink, Links::Dynamic),
    sentence: Text {
        en: "wherever {digits} stands in {base}, nets that place {count} in all lead to the same end: {conclusion}",
        zh: "无论{base}的 {digits} 在哪一格，强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "{digits} stands in one of its places in {base}; for each of them gather all that follows, where what has gone stays away (placements in all: {count}); every case has the same end, which is therefore so: {conclusion}",
        zh: "{base}的 {digits} 必在其候选位置之一；分别收集每种情形的全部推论，删去的候选数不再恢复（共 {count} 次填数）；各种情形都得到同一结果，所以它成立：{conclusion}",
    },
};

/// Double forcing net.
pub const DOUBLE_FORCING_NET: Technique = Technique {
    slug: "double-forcing-net",
    name: Text { en: "Double forcing net", zh: "双向强制网" },
    level: Level::Extreme,
    score: 760,
    needs: Needs::NONE,
    on_path: true,
    find: doubles,
    sentence: Text {
        en: "whether {start} is true or false, nets that place {count} in all lead to the same end: {conclusion}",
        zh: "无论 {start} 成立与否，强制网（共 {count} 次填数）都得到同一结果：{conclusion}",
    },
    lesson: Text {
        en: "{start} is either true or false; for each case gather all that follows, where what has gone stays away (placements in all: {count}); both have the same end, which is therefore so: {conclusion}",
        zh: "{start} 要么成立，要么不成立；分别收集两种情形的全部推论，删去的候选数不再恢复（共 {count} 次填数）；两者都得到同一结果，所以它成立：{conclusion}",
    },
};

/// Nested contradiction net.
pub const NESTED_NET: Technique = Technique {
    slug: "nested-net",
    name: Text { en: "Nested contradiction net", zh: "嵌套矛盾网" },
    level: Level::Extreme,
    score: 1000,
    needs: Needs::NONE,
    on_path: true,
    find: nested,
    sentence: Text {
        en: "with {start}, contradictions found on the way take further candidates, and forced placements (in all: {count}) end in a contradiction, so {target} can go",
        zh: "若 {start} 成立，途中又由矛盾删去一些候选数，共经 {count} 次填数得到矛盾，因此删去 {target}",
    },
    lesson: Text {
        en: "suppose {start}; where this leads no further, suppose another candidate on top of it: if that ends in a contradiction, the candidate goes, and the first net runs on, until (placements in all: {count}) it ends in a contradiction itself, so {target} can go",
        zh: "假设 {start} 成立；推不下去时，在其上再假设另一个候选数：若得到矛盾，则删去该候选数，第一层继续推下去；共经 {count} 次填数后它本身也得到矛盾，因此删去 {target}",
    },
};

/// Points at the candidate on which a net starts.
fn start_mark(cell: Cell, digit: Digit) -> Mark {
    Mark::new(Role::Start, Shape::Candidates { cells: smallvec![cell], digits: DigitSet::single(digit) })
}

/// What is marked of the way: how many literals were found to hold, and which.
pub fn way_marks(account: &Account, marks: &mut Vec<Mark>) {
    marks.push(Mark::new(Role::Count, Shape::Number(account.held.len() as i64)));
    let mut held = account.held.clone();
    held.sort_unstable();
    held.dedup();
    let shape = |literal: Literal| Shape::Candidates {
        cells: smallvec![literal.cell],
        digits: DigitSet::single(literal.digit),
    };
    marks.extend(held.into_iter().map(|literal| Mark::new(Role::On, shape(literal))));
}

fn conclusion(literal: Literal) -> Conclusion {
    match literal.holds {
        true => Conclusion::Place(literal.cell, literal.digit),
        false => Conclusion::Eliminate(literal.cell, literal.digit),
    }
}

/// Reports that the assumption of a net is false.
fn push_refuted(sink: &mut Sink<'_>, net: &Net<'_>, end: End) -> Flow {
    let assumed = net.nodes[0].literal;
    let account = Account::refute(net, end);
    let mut marks = vec![start_mark(assumed.cell, assumed.digit), Mark::digit(Role::Digits, assumed.digit)];
    way_marks(&account, &mut marks);
    sink.push(vec![conclusion(assumed.negated())], marks, Proof { lemmas: account.lemmas.into() })
}

/// Candidates that lead to a contradiction.
fn contradictions(context: &Context<'_>, sink: &mut Sink<'_>, links: Links) -> Flow {
    let field = Field::new(context);
    let mut net = Net::new(&field, links);
    for (cell, digit) in field.starts() {
        sink.spend(10)?;
        if let Some(end) = net.assume(Literal::is(cell, digit)) {
            push_refuted(sink, &net, end)?;
        }
    }
    ControlFlow::Continue(())
}

/// The most candidates of a board on which nets are nested: to look takes their number squared.
const MOST_NESTED: usize = 400;

/// Candidates that lead to a contradiction once contradictions within are used. They are looked for only where
/// no plain net ends in one.
fn nested(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let field = Field::new(context);
    let starts: Vec<Literal> = field.starts().map(|(cell, digit)| Literal::is(cell, digit)).collect();
    if starts.len() > MOST_NESTED {
        return ControlFlow::Continue(());
    }
    let mut net = Net::new(&field, Links::Dynamic);
    for &start in &starts {
        sink.spend(10)?;
        if net.assume(start).is_some() {
            return ControlFlow::Continue(());
        }
    }
    for &start in &starts {
        net.assume(start);
        if let Some(end) = deepen(&mut net, sink)? {
            push_refuted(sink, &net, end)?;
        }
    }
    ControlFlow::Continue(())
}

/// Whether there is a candidate for [`nested`] to refute.
fn has_nested(field: &Field<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), bool> {
    let mut net = Net::new(field, Links::Dynamic);
    for (cell, digit) in field.starts() {
        sink.spend(10)?;
        if net.assume(Literal::is(cell, digit)).is_some() || deepen(&mut net, sink)?.is_some() {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

/// Refutes what can be refuted on top of a net, until nothing more can be; the end, if that ends the net.
fn deepen(net: &mut Net<'_>, sink: &mut Sink<'_>) -> ControlFlow<(), Option<End>> {
    loop {
        let mut has_gained = false;
        for literal in net.undecided() {
            sink.spend(10)?;
            if !net.is_undecided(literal) {
                continue;
            }
            match net.try_within(literal) {
                Tried::Stands => {}
                Tried::Gone => has_gained = true,
                Tried::Ends(end) => return ControlFlow::Continue(Some(end)),
            }
        }
        if !has_gained {
            return ControlFlow::Continue(None);
        }
    }
}

/// The closures of candidates, each found when first asked for.
struct Closures {
    links: Links,
    size: usize,
    /// What follows along fixed links, by which starts that agree on nothing are told without their closures.
    along: Option<Along>,
    /// By cell and digit, once it is known: the closure, or none where the candidate contradicts itself.
    list: RefCell<Vec<Option<Option<Closure>>>>,
}

/// What follows from each candidate along plain chains.
struct Along {
    plain: Rc<Plain>,
    consequences: Consequences,
}

impl Closures {
    /// Those of a position, which two rows share.
    fn of(field: &Field<'_>, links: Links, sink: &mut Sink<'_>) -> ControlFlow<(), Rc<Closures>> {
        if let Some(known) = field.context.derived::<Closures>().filter(|known| known.links == links) {
            return ControlFlow::Continue(known);
        }
        let mut along = None;
        if links == Links::Fixed {
            let plain = plain(field.context, sink)?;
            let consequences = Consequences::of(&plain.0.graph);
            along = consequences.map(|consequences| Along { plain, consequences });
        }
        let size = field.context.size();
        let list = RefCell::new(vec![None; size * size * size]);
        ControlFlow::Continue(field.context.keep(Closures { links, size, along, list }))
    }

    /// What all these say; none if one contradicts itself, or they agree on nothing.
    fn common(
        &self,
        net: &mut Net<'_>,
        starts: &[Literal],
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), Option<Vec<Literal>>> {
        if !self.may_agree(starts) {
            return ControlFlow::Continue(None);
        }
        let mut common: Option<Closure> = None;
        for &start in starts {
            let Some(closure) = self.closure(net, start, sink)? else { return ControlFlow::Continue(None) };
            match &mut common {
                None => common = Some(closure),
                Some(common) => common.meet(&closure),
            }
            if common.as_ref().is_some_and(Closure::is_empty) {
                return ControlFlow::Continue(None);
            }
        }
        ControlFlow::Continue(common.map(|common| common.literals()))
    }

    fn may_agree(&self, starts: &[Literal]) -> bool {
        let Some(Along { plain, consequences }) = &self.along else { return true };
        let nodes = starts.iter().filter_map(|start| plain.0.graph.candidate(start.cell, start.digit));
        consequences.agree(nodes)
    }

    fn closure(
        &self,
        net: &mut Net<'_>,
        start: Literal,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), Option<Closure>> {
        let place = start.cell.index() * self.size + start.digit.index();
        if self.list.borrow()[place].is_none() {
            sink.spend(10)?;
            // The only candidate of a cell is no start.
            let has_choice = net.field().choices(start.cell).len() > 1;
            let closure = (has_choice && net.assume(start).is_none()).then(|| net.closure());
            self.list.borrow_mut()[place] = Some(closure);
        }
        ControlFlow::Continue(self.list.borrow()[place].clone().flatten())
    }
}

/// Reports what follows from every start, one of which is true by the premise.
fn push_agreed(
    sink: &mut Sink<'_>,
    net: &mut Net<'_>,
    starts: &[Literal],
    (literal, premise): (Literal, Premise),
    mut marks: Vec<Mark>,
) -> Flow {
    if net.field().choices(literal.cell).len() < 2 {
        return ControlFlow::Continue(());
    }
    let mut account = Account::default();
    // What leads to its own opposite needs no other case.
    let own = starts.iter().position(|start| *start == literal.negated());
    let cases = own.map_or(starts, |own| &starts[own..=own]);
    let premises = if own.is_some() { Vec::new() } else { vec![premise] };
    let mut uses = Vec::new();
    for &start in cases.iter().filter(|start| **start != literal) {
        net.assume(start);
        uses.push(account.derive(net, literal));
    }
    account.agree(literal, premises, uses);
    way_marks(&account, &mut marks);
    sink.push(vec![conclusion(literal)], marks, Proof { lemmas: account.lemmas.into() })
}

/// What follows from every candidate of a cell.
fn cells(context: &Context<'_>, sink: &mut Sink<'_>, links: Links) -> Flow {
    let field = Field::new(context);
    let closures = Closures::of(&field, links, sink)?;
    let mut net = Net::new(&field, links);
    for cell in context.open() {
        sink.spend(5)?;
        let starts: Vec<Literal> = field.choices(cell).iter().map(|digit| Literal::is(cell, digit)).collect();
        for literal in closures.common(&mut net, &starts, sink)?.into_iter().flatten() {
            let marks = vec![Mark::cell(Role::Start, cell)];
            push_agreed(sink, &mut net, &starts, (literal, Premise::Cell(cell)), marks)?;
        }
    }
    ControlFlow::Continue(())
}

/// What follows from every place of a digit in a house.
fn houses(context: &Context<'_>, sink: &mut Sink<'_>, links: Links) -> Flow {
    let field = Field::new(context);
    let closures = Closures::of(&field, links, sink)?;
    let mut net = Net::new(&field, links);
    for house in context.puzzle().house_ids() {
        for digit in Digit::all(context.size()) {
            sink.spend(5)?;
            if field.spot_count(house, digit) < 2 {
                continue;
            }
            let starts: Vec<Literal> =
                field.spots(house, digit).map(|cell| Literal::is(cell, digit)).collect();
            for literal in closures.common(&mut net, &starts, sink)?.into_iter().flatten() {
                let marks = vec![Mark::digit(Role::Digits, digit), Mark::house(Role::Base, house)];
                let agreed = (literal, account::house_premise(house, digit));
                push_agreed(sink, &mut net, &starts, agreed, marks)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// What follows from a candidate and from its absence.
fn doubles(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let field = Field::new(context);
    let mut net = Net::new(&field, Links::Dynamic);
    for (cell, digit) in field.starts() {
        sink.spend(20)?;
        // With two candidates the cell itself says as much.
        if field.choices(cell).len() < 3 {
            continue;
        }
        let starts = [Literal::is_not(cell, digit), Literal::is(cell, digit)];
        if let Some(end) = net.assume(starts[0]) {
            push_refuted(sink, &net, end)?;
            continue;
        }
        let mut common = net.closure();
        if net.assume(starts[1]).is_some() {
            continue;
        }
        common.meet(&net.closure());
        for literal in common.literals() {
            if field.choices(literal.cell).len() < 2 {
                continue;
            }
            let mut account = Account::default();
            let mut uses = Vec::new();
            for start in starts {
                net.assume(start);
                uses.push(account.derive(&net, literal));
            }
            account.agree(literal, Vec::new(), uses);
            let mut marks = vec![start_mark(cell, digit)];
            way_marks(&account, &mut marks);
            sink.push(vec![conclusion(literal)], marks, Proof { lemmas: account.lemmas.into() })?;
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::Budget;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;
    use crate::engine::logic::sink::Wanted;

    /// What chains say of starts at once against what their nets say.
    #[test]
    fn starts_agree_as_their_nets_do() {
        let mut count = 0;
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let (mut budget, mut each) = (Budget::unlimited(), |_| ControlFlow::Continue(()));
            let sink = &mut Sink::new(position, &CELL_FORCING_CHAIN, &mut budget, Wanted::Steps(&mut each));
            let field = Field::new(&context);
            let ControlFlow::Continue(closures) = Closures::of(&field, Links::Fixed, sink) else {
                panic!("broken off")
            };
            assert!(closures.along.is_some());
            let mut net = Net::new(&field, Links::Fixed);
            for cell in context.open() {
                let mut common: Option<Closure> = None;
                let starts: Vec<Literal> =
                    field.choices(cell).iter().map(|digit| Literal::is(cell, digit)).collect();
                for &start in &starts {
                    net.assume(start);
                    let closure = net.closure();
                    common.get_or_insert_with(|| closure.clone()).meet(&closure);
                }
                let is_empty = common.is_none_or(|common| common.is_empty());
                assert_eq!(closures.may_agree(&starts), !is_empty);
                count += usize::from(!is_empty);
            }
        }
        assert!(count > 20, "{count}");
    }
}
