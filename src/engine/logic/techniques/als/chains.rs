//! ALS chains: four sets or more, each sharing a restricted common with the next, never the same twice running.
//!
//! ```text
//!  A =x= C =y= D =w= B      if A lacks z it holds x, so C lacks x and holds y, D lacks y and holds w, B lacks w
//!                           and holds z: z stands in A or in B
//! ```
//!
//! Who lacks what spreads from set to set, so a candidate is worth a search only if the sets that it takes its digit
//! from come to lack another digit too. From each of those, links are followed in every direction, breadth first, and
//! of the shortest ways one is taken that meets no set twice: what is found does not depend on how sets are numbered.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::{Ends, conclusions_of, push_ends};
use crate::engine::logic::Conclusion;
use crate::engine::logic::als::{AlsBook, ones};
use crate::engine::logic::context::Context;
use crate::engine::logic::sink::Sink;
use crate::engine::logic::technique::{Flow, Level, Needs, Technique, Text};
use crate::puzzle::{Cell, Digit, DigitSet};

/// ALS chain.
pub const ALS_CHAIN: Technique = Technique {
    slug: "als-chain",
    name: Text { en: "ALS chain", zh: "ALS 链" },
    level: Level::Unfair,
    score: 340,
    needs: Needs::NONE,
    on_path: true,
    find: als_chain,
    sentence: Text {
        en: "in the chain of almost locked sets {set}, linked by {restricted} in turn, the first or the last is locked with {digits}, so {target} can go",
        zh: "待定数组链 {set} 依次以 {restricted} 相连，首尾两组必有一组被锁定而含 {digits}，因此删去 {target}",
    },
    lesson: Text {
        en: "{set} are almost locked sets: each lacks exactly one of its digits; neighbours share the restricted commons {restricted} in turn, which cannot stand in both; if the first lacks {digits}, it holds its restricted common and takes it from the second, which holds all else and takes the next from the third, and so on to the last, which holds {digits}; what sees all places for that in both ends cannot hold it, so {target} can go",
        zh: "{set} 是待定数组，各只缺一个数字；相邻两组依次以强制共有数 {restricted} 相连，它不能同时出现在两组中；若第一组没有 {digits}，它就含有强制共有数而使第二组失去它，第二组含有其余数字又使第三组失去下一个，如此直到最后一组，它含有 {digits}；同时看到首尾两组中该数所有位置的格不能填它，因此删去 {target}",
    },
};

/// Links between the ends, at least; fewer are an ALS-XZ or an ALS-XY-wing.
const MIN_LINKS: u32 = 3;

/// Steps backwards that are tried for a way that meets no set twice.
const MAX_TRIES: u32 = 100;

/// Four sets or more.
pub fn als_chain(context: &Context<'_>, sink: &mut Sink<'_>) -> Flow {
    let book = context.als();
    let mut chains = Chains::new(context, book);
    for (digit, &doomed) in context.puzzle().digits().iter().zip(book.doomed(context)) {
        for cell in doomed {
            chains.find_of(sink, cell, digit)?;
        }
    }
    ControlFlow::Continue(())
}

struct Chains<'a> {
    context: &'a Context<'a>,
    book: &'a AlsBook,
    /// By digit, the sets that lack it.
    lacking: Vec<u64>,
    /// The same, as of the last round and the next.
    latest: Vec<u64>,
    next: Vec<u64>,
    /// Sets from which chains have been followed.
    is_done: Vec<bool>,
    /// The view that a view was reached from, and over how many links. A view stands for its set lacking its digit.
    reached: Vec<(u32, u32)>,
    said: HashSet<Vec<Conclusion>>,
    queue: Vec<u32>,
}

impl<'a> Chains<'a> {
    fn new(context: &'a Context<'a>, book: &'a AlsBook) -> Chains<'a> {
        let bits = book.words() * context.size();
        Chains {
            context,
            book,
            lacking: vec![0; bits],
            latest: vec![0; bits],
            next: vec![0; bits],
            is_done: vec![false; book.sets().len()],
            reached: vec![(0, 0); book.view_count()],
            said: HashSet::new(),
            queue: Vec::new(),
        }
    }

    /// The chains whose ends both lose a digit to a candidate.
    fn find_of(&mut self, sink: &mut Sink<'_>, cell: Cell, digit: Digit) -> Flow {
        let book = self.book;
        let hits = book.hits(digit, cell);
        if ones(hits).take(2).count() < 2 {
            return sink.spend(1);
        }
        self.spread(sink, hits, digit)?;
        let words = book.words();
        let mut short = vec![0; words];
        for other in (0..self.context.size()).filter(|&other| other != digit.index()) {
            let lacking = &self.lacking[other * words..][..words];
            short.iter_mut().zip(lacking).for_each(|(short, lacking)| *short |= lacking);
        }
        short.iter_mut().zip(hits).for_each(|(short, hits)| *short &= hits);
        for set in ones(&short) {
            if !std::mem::replace(&mut self.is_done[set], true) {
                self.follow(sink, set)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Finds all sets that lack a digit once these lack this one.
    fn spread(&mut self, sink: &mut Sink<'_>, hits: &[u64], digit: Digit) -> Flow {
        let (book, words) = (self.book, self.book.words());
        self.lacking.fill(0);
        self.latest.fill(0);
        for rows in [&mut self.lacking, &mut self.latest] {
            rows[digit.index() * words..][..words].copy_from_slice(hits);
        }
        loop {
            self.next.fill(0);
            for lacked in self.context.puzzle().digits() {
                for set in ones(&self.latest[lacked.index() * words..][..words]) {
                    sink.spend(1)?;
                    for held in book.sets()[set].digits - DigitSet::single(lacked) {
                        let row = &mut self.next[held.index() * words..][..words];
                        row.iter_mut()
                            .zip(book.links(book.view_id(set, held)))
                            .for_each(|(row, links)| *row |= links);
                    }
                }
            }
            let mut any = 0;
            for ((next, lacking), latest) in self.next.iter().zip(&mut self.lacking).zip(&mut self.latest) {
                *latest = next & !*lacking;
                *lacking |= next;
                any |= *latest;
            }
            if any == 0 {
                return ControlFlow::Continue(());
            }
        }
    }

    /// The chains from a set, for each first restricted common.
    fn follow(&mut self, sink: &mut Sink<'_>, start: usize) -> Flow {
        let book = self.book;
        for first in book.sets()[start].digits {
            self.reached.fill((u32::MAX, 0));
            self.queue.clear();
            self.lacking.fill(0);
            // The start itself is not come back to.
            for digit in book.sets()[start].digits {
                self.lacking[digit.index() * book.words() + start / 64] |= 1 << (start % 64);
            }
            let from = book.view_id(start, first);
            self.reach(from, from, first, 1);
            let mut at = 0;
            while let Some(&view) = self.queue.get(at) {
                at += 1;
                sink.spend(1)?;
                let (set, lacked) = book.owner(view as usize);
                let links = self.reached[view as usize].1;
                if links >= MIN_LINKS {
                    self.push(sink, start, first, view as usize)?;
                }
                for held in book.sets()[set].digits - DigitSet::single(lacked) {
                    self.reach(view as usize, book.view_id(set, held), held, links + 1);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Reaches the sets that lose a digit to a view of it, which is held because of another view or at the start.
    fn reach(&mut self, because: usize, held: usize, digit: Digit, links: u32) {
        let words = self.book.words();
        let lacking = &mut self.lacking[digit.index() * words..][..words];
        for (word, (lacking, links_to)) in lacking.iter_mut().zip(self.book.links(held)).enumerate() {
            let new = links_to & !*lacking;
            *lacking |= new;
            for set in ones(&[new]).map(|bit| word * 64 + bit) {
                let view = self.book.view_id(set, digit);
                self.reached[view] = (because as u32, links);
                self.queue.push(view as u32);
            }
        }
    }

    /// Reports what the ends of a chain exclude, if anything that has not been said.
    fn push(&mut self, sink: &mut Sink<'_>, start: usize, first: Digit, end: usize) -> Flow {
        let book = self.book;
        let (set, last) = book.owner(end);
        let barred = DigitSet::single(first) | DigitSet::single(last);
        let conclusions = conclusions_of(book, [start, set], barred);
        if conclusions.is_empty() || self.said.contains(&conclusions) {
            return ControlFlow::Continue(());
        }
        let mut way = vec![end];
        let mut tries = MAX_TRIES;
        if !self.is_direct(start, end) && !self.find_way(start, &mut way, &mut tries) {
            return sink.spend(u64::from(MAX_TRIES - tries));
        }
        if way.len() == 1 {
            while let Some(view) = self.before(start, way[way.len() - 1]) {
                way.push(view);
            }
        }
        self.said.insert(conclusions);
        way.reverse();
        let hubs: Vec<usize> = way[..way.len() - 1].iter().map(|&view| book.owner(view).0).collect();
        let restricted: Vec<DigitSet> =
            way.iter().map(|&view| DigitSet::single(book.owner(view).1)).collect();
        let ends = Ends { sets: [start, set], hubs: &hubs, restricted: &restricted, barred };
        push_ends(self.context, book, sink, &ends)
    }

    /// The view that a view was first reached from, if that is not the start.
    fn before(&self, start: usize, view: usize) -> Option<usize> {
        let before = self.reached[view].0 as usize;
        (self.book.owner(before).0 != start).then_some(before)
    }

    /// Whether the way that was found first meets no set twice.
    fn is_direct(&self, start: usize, end: usize) -> bool {
        let mut sets = vec![self.book.owner(end).0];
        let mut view = end;
        while let Some(before) = self.before(start, view) {
            let set = self.book.owner(before).0;
            if sets.contains(&set) {
                return false;
            }
            sets.push(set);
            view = before;
        }
        true
    }

    /// Looks for another way that is as short and meets no set twice, backwards from the end.
    fn find_way(&self, start: usize, way: &mut Vec<usize>, tries: &mut u32) -> bool {
        let book = self.book;
        let view = way[way.len() - 1];
        let (set, digit) = book.owner(view);
        let links = self.reached[view].1;
        if links == 1 {
            return true;
        }
        for before in ones(book.links(view)) {
            // The link goes both ways: the set before held this digit, and had come to lack another.
            for lacked in book.sets()[before].digits - DigitSet::single(digit) {
                let from = book.view_id(before, lacked);
                let is_met = before == set || way.iter().any(|&met| book.owner(met).0 == before);
                if before == start || is_met || self.reached[from].1 != links - 1 {
                    continue;
                }
                if *tries == 0 {
                    return false;
                }
                *tries -= 1;
                way.push(from);
                if self.find_way(start, way, tries) {
                    return true;
                }
                way.pop();
            }
        }
        false
    }
}
