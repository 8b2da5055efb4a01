//! Arguments by counting, made: truths (cells that hold a digit, digits that a house must have) against links (places
//! of which at most one is true).
//!
//! If there are no more links than truths, every link has a true place in the pattern, and all else that sees a whole
//! link is false. With so many links more (the slack), a candidate must see one link more than that to be false.

use smallvec::smallvec;

use crate::engine::logic::context::Context;
use crate::engine::logic::{Argument, CellSet, Claim, Conclusion, Lemma, LinkSet, Literal, Premise, Proof};
use crate::puzzle::{Cell, Digit, HouseId};

/// Places of which at most one is true.
#[derive(Clone, Copy)]
enum Link {
    /// Those of a digit in cells that see each other.
    Digit(Digit, CellSet),
    /// Those of a cell.
    Cell(Cell),
}

/// Truths and links that have been counted.
pub struct Counting<'a> {
    context: &'a Context<'a>,
    truths: Vec<(Premise, u32)>,
    links: Vec<Link>,
}

impl<'a> Counting<'a> {
    /// Nothing yet.
    pub fn new(context: &'a Context<'a>) -> Counting<'a> {
        Counting { context, truths: Vec::new(), links: Vec::new() }
    }

    /// Each of these cells holds a digit; those counted before count once more.
    pub fn count_cells(&mut self, cells: CellSet) {
        for cell in cells {
            self.count_truth(Premise::Cell(cell));
        }
    }

    /// The digit lies somewhere in the house.
    pub fn count_house(&mut self, house: HouseId, digit: Digit) {
        self.count_truth(Premise::House(house, digit));
    }

    fn count_truth(&mut self, truth: Premise) {
        match self.truths.iter_mut().find(|(counted, _)| *counted == truth) {
            Some((_, times)) => *times += 1,
            None => self.truths.push((truth, 1)),
        }
    }

    /// The digit stands in at most one of these cells, which see each other.
    pub fn link(&mut self, digit: Digit, cells: CellSet) {
        self.links.push(Link::Digit(digit, cells));
    }

    /// The cell holds at most one digit.
    pub fn link_cell(&mut self, cell: Cell) {
        self.links.push(Link::Cell(cell));
    }

    /// How many links there are more than truths.
    pub fn slack(&self) -> i64 {
        self.links.len() as i64 - self.truths.iter().map(|(_, times)| i64::from(*times)).sum::<i64>()
    }

    /// What the count excludes, of some digits in some cells.
    pub fn excluded(&self, among: impl IntoIterator<Item = (Cell, Digit)>) -> Vec<Conclusion> {
        let slack = self.slack();
        let is_out = |&(cell, digit): &(Cell, Digit)| {
            let links = self.links.iter().filter(|link| self.reaches(link, cell, digit)).count() as i64;
            links - self.truths_of(cell, digit) > slack
        };
        among.into_iter().filter(is_out).map(|(cell, digit)| Conclusion::Eliminate(cell, digit)).collect()
    }

    /// A proof of these eliminations: as few lemmas as links can be shared by.
    pub fn prove(&self, conclusions: &[Conclusion]) -> Proof {
        let mut groups: Vec<Group> = Vec::new();
        for &conclusion in conclusions {
            let (cell, digit) = (conclusion.cell(), conclusion.digit());
            let wanted = self.slack() + 1 + self.truths_of(cell, digit);
            let reaching = (0..self.links.len()).filter(|&link| self.reaches(&self.links[link], cell, digit));
            let reaching: Vec<usize> = reaching.take(wanted.max(0) as usize).collect();
            let seen = self.context.peers(cell);
            let fits = |group: &&mut Group| {
                reaching.iter().all(|&link| (group.reached[link] - CellSet::single(cell) - seen).is_empty())
            };
            let group = match groups.iter_mut().find(fits) {
                Some(group) => group,
                None => {
                    groups.push(Group { claims: Vec::new(), reached: self.reach() });
                    groups.last_mut().expect("just pushed")
                }
            };
            group.claims.push(smallvec![Literal::from(conclusion)]);
            reaching.iter().for_each(|&link| group.reached[link].insert(cell));
        }
        Proof { lemmas: groups.into_iter().map(|group| self.lemma(group)).collect() }
    }

    /// Whether a candidate conflicts with every other place of a link, or is one.
    fn reaches(&self, link: &Link, cell: Cell, digit: Digit) -> bool {
        match *link {
            Link::Digit(of_link, cells) => {
                digit == of_link && (cells - CellSet::single(cell) - self.context.peers(cell)).is_empty()
            }
            Link::Cell(of_link) => cell == of_link,
        }
    }

    fn truths_of(&self, cell: Cell, digit: Digit) -> i64 {
        let has = |truth: &Premise| match *truth {
            Premise::Cell(counted) => counted == cell,
            Premise::House(house, counted) => counted == digit && self.context.house(house).contains(cell),
            _ => false,
        };
        self.truths.iter().filter(|(truth, _)| has(truth)).map(|(_, times)| i64::from(*times)).sum()
    }

    fn reach(&self) -> Vec<CellSet> {
        let cells = |link: &Link| match *link {
            Link::Digit(_, cells) => cells,
            Link::Cell(_) => CellSet::EMPTY,
        };
        self.links.iter().map(cells).collect()
    }

    fn lemma(&self, group: Group) -> Lemma {
        let links = self.links.iter().zip(group.reached).map(|(link, cells)| match *link {
            Link::Cell(cell) => LinkSet::Cell(cell),
            Link::Digit(digit, _) => self.link_set(digit, cells),
        });
        let mut links: Vec<LinkSet> = links.collect();
        while let Some(spare) = self.spare(&links) {
            links.remove(spare);
        }
        let links = links.into_iter().map(|link| (link, 1)).collect();
        Lemma {
            claims: group.claims.into(),
            argument: Argument::Cover { truths: self.truths.clone(), links },
        }
    }

    /// A house that is there twice, where once is enough: no place in it is in more truths than other links.
    fn spare(&self, links: &[LinkSet]) -> Option<usize> {
        let is_spare = |&index: &usize| match links[index] {
            LinkSet::House(house, digit) if links[..index].contains(&links[index]) => {
                let spots = self.context.spots_in(house, digit);
                let counted =
                    |cell: Cell| links.iter().filter(|link| has(link, self.context, cell, digit)).count();
                spots.iter().all(|cell| self.truths_of(cell, digit) < counted(cell) as i64)
            }
            _ => false,
        };
        (0..links.len()).find(is_spare)
    }

    /// A house that has all these cells, or else just these.
    fn link_set(&self, digit: Digit, cells: CellSet) -> LinkSet {
        let puzzle = self.context.puzzle();
        let houses = cells.first().map_or(&[][..], |first| puzzle.houses_of(first));
        match houses.iter().find(|&&house| self.context.house(house).contains_all(cells)) {
            Some(&house) => LinkSet::House(house, digit),
            None => LinkSet::Clique(cells.iter().map(|cell| (cell, digit)).collect()),
        }
    }
}

/// Whether a candidate is in a link.
fn has(link: &LinkSet, context: &Context<'_>, cell: Cell, digit: Digit) -> bool {
    match link {
        LinkSet::Cell(of_link) => *of_link == cell,
        LinkSet::House(house, of_link) => *of_link == digit && context.house(*house).contains(cell),
        LinkSet::Cage(..) => false,
        LinkSet::Clique(places) => places.contains(&(cell, digit)),
    }
}

/// Conclusions that one lemma proves, and by link the cells that it must have.
struct Group {
    claims: Vec<Claim>,
    reached: Vec<CellSet>,
}
