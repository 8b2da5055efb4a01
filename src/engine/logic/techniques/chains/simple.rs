//! Chains of one digit, and chains of cells with two candidates.
//!
//! ```text
//!  X-chain    5 = 5 - 5 = 5             one of the ends holds the 5
//!  XY-chain   5=2 - 2=7 - 7=5           the same, cell by cell
//! ```

use std::ops::ControlFlow;

use super::explore::{Chains, Kind};
use super::nice::{plain, report};
use crate::engine::logic::context::Context;
use crate::engine::logic::links::{Graph, Prospects, Reach};
use crate::engine::logic::single_digit::on_promising;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};

/// X-chain.
pub const X_CHAIN: Technique = Technique {
    slug: "x-chain",
    name: Text { en: "X-chain", zh: "X 链" },
    level: Level::Unfair,
    score: 260,
    needs: Needs::NONE,
    on_path: true,
    find: x_chain,
    sentence: Text {
        en: "along the chain {link}, one of {pincer} is true, so {target} can go",
        zh: "沿着链 {link}，{pincer} 中必有一个为真，因此删去 {target}",
    },
    lesson: Text {
        en: "every house of a strong link has two places left for the digit, so if one is false the other is true; a weak link joins two places that see each other, of which not both are true; along {link} they take turns, so if one of {pincer} is false the other is true, and {target}, which sees both, can go",
        zh: "强链所在的区域中该数字只剩两个位置，一假则另一真；弱链连接互相看到的两个位置，不能同真；沿着 {link} 强弱交替，{pincer} 中一个为假则另一个为真，所以同时看到两者的 {target} 可以删去",
    },
};

/// XY-chain.
pub const XY_CHAIN: Technique = Technique {
    slug: "xy-chain",
    name: Text { en: "XY-chain", zh: "XY 链" },
    level: Level::Unfair,
    score: 260,
    needs: Needs::NONE,
    on_path: true,
    find: xy_chain,
    sentence: Text {
        en: "from cell to cell of two candidates, {link}, one of {pincer} is true, so {target} can go",
        zh: "在双候选数格之间，{link}，{pincer} 中必有一个为真，因此删去 {target}",
    },
    lesson: Text {
        en: "a cell with two candidates that loses one holds the other, and takes it from the next cell that it sees; along {link} it goes on like this, so if one of {pincer} is false the other is true, and {target}, which sees both, can go",
        zh: "双候选数格失去一个候选数就必填另一个，并使它看到的下一格失去该数；沿着 {link} 依次推下去，{pincer} 中一个为假则另一个为真，所以同时看到两者的 {target} 可以删去",
    },
};

/// Strong and weak links of one digit.
pub fn x_chain(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    on_promising(context, sink, |sink, digits| match digits.is_empty() {
        true => ControlFlow::Continue(()),
        false => find(Reach::Digits, context, sink),
    })
}

/// Strong links within cells alone.
pub fn xy_chain(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    find(Reach::Pairs, context, sink)
}

fn find(reach: Reach, context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    // Whatever these say, chains of candidates say too.
    let plain = plain(context, sink)?;
    let are_none = match reach {
        Reach::Pairs if !plain.0.are_none() => {
            sink.spend(1)?;
            Prospects::of_pairs(&plain.0.graph).is_some_and(|prospects| prospects.is_empty())
        }
        _ => plain.0.are_none(),
    };
    if are_none {
        return ControlFlow::Continue(());
    }
    let graph = Graph::new(context, reach, Vec::new());
    let chains = Chains::of(graph, true, sink)?;
    report(&chains, (Kind::Ends, &[]), context, sink)
}
