//! Explanations: the sentence of a technique, its slots filled from the marks of a step.

use super::registry::technique;
use super::{Link, Role, Shape, Step, Technique, Text};
use crate::puzzle::{Cage, CageId, Cell, Digit, DigitSet, HouseId, HouseKind, Puzzle, notation};

/// A language that ships.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Its tag: `en`, `zh`.
    pub const fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    /// The language of a tag, whatever region it names: `zh-CN` is `zh`.
    pub fn from_tag(tag: &str) -> Option<Language> {
        let primary = tag.split(['-', '_']).next()?;
        Language::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// Of two texts, the one in this language.
    pub const fn of(self, text: &super::Text) -> &'static str {
        match self {
            Language::English => text.en,
            Language::Chinese => text.zh,
        }
    }
}

/// The slot for what a step says, as `r1c1=4, r8c3<>4`: for rows whose steps may place a digit or rule one out. Every
/// other slot is a role.
pub const CONCLUSION: &str = "conclusion";

/// Says in short why a step holds. Of a technique that this version does not know, it can only say what it
/// concludes.
pub fn explain(step: &Step, puzzle: &Puzzle, language: Language) -> String {
    say(step, puzzle, language, |row| &row.sentence)
}

/// The same for those who learn the technique.
pub fn teach(step: &Step, puzzle: &Puzzle, language: Language) -> String {
    say(step, puzzle, language, |row| &row.lesson)
}

fn say(step: &Step, puzzle: &Puzzle, language: Language, text: fn(&Technique) -> &Text) -> String {
    let Some(row) = technique(step.technique.as_str()) else {
        return format!("{}: {}", step.technique, conclusions(step, puzzle));
    };
    let mut words = Words { puzzle, language, text: String::new() };
    let mut rest = language.of(text(row));
    while let Some((before, after)) = rest.split_once('{') {
        words.text.push_str(before);
        let (word, after) = after.split_once('}').unwrap_or((after, ""));
        match Role::from_word(word) {
            Some(role) => words.push_role(step, role),
            None if word == CONCLUSION => words.text.push_str(&conclusions(step, puzzle)),
            None => {}
        }
        rest = after;
    }
    words.text.push_str(rest);
    words.text
}

fn conclusions(step: &Step, puzzle: &Puzzle) -> String {
    let conclusions = step.conclusions.iter().map(|conclusion| conclusion.notation(puzzle.size()));
    conclusions.collect::<Vec<_>>().join(", ")
}

struct Words<'a> {
    puzzle: &'a Puzzle,
    language: Language,
    text: String,
}

impl Words<'_> {
    fn push_role(&mut self, step: &Step, role: Role) {
        let marks = step.marks();
        let shapes: Vec<&Shape> =
            marks.iter().filter(|mark| mark.role == role).map(|mark| &mark.shape).collect();
        let houses: Option<Vec<HouseId>> = shapes
            .iter()
            .map(|shape| if let Shape::House(house) = shape { Some(*house) } else { None })
            .collect();
        let links: Option<Vec<&Link>> = shapes
            .iter()
            .map(|shape| if let Shape::Link(link) = shape { Some(link) } else { None })
            .collect();
        let text = match (houses, links) {
            (Some(houses), _) if !houses.is_empty() => self.houses(&houses),
            (_, Some(links)) if !links.is_empty() => self.chains(&links),
            _ => self.list(&shapes.iter().map(|shape| self.shape(shape)).collect::<Vec<_>>()),
        };
        self.text.push_str(&text);
    }

    /// Links that go on from one another in one go: `4 in r1c2 = 4 in r1c7 - 8 in r1c7`.
    fn chains(&self, links: &[&Link]) -> String {
        let goes_on = |one: &&Link, next: &&Link| (&one.to, one.to_digit) == (&next.from, next.from_digit);
        let chains = links.chunk_by(goes_on).map(|chain| {
            let rest = chain[1..]
                .iter()
                .map(|link| format!(" {} {}", sign(link), self.node(&link.to, link.to_digit)));
            self.link(chain[0]) + &rest.collect::<String>()
        });
        self.list(&chains.collect::<Vec<_>>())
    }

    /// `a, b and c`.
    fn list(&self, parts: &[String]) -> String {
        match (self.language, parts) {
            (_, [only]) => only.clone(),
            (Language::English, [front @ .., last]) if !front.is_empty() => {
                format!("{} and {last}", front.join(", "))
            }
            (Language::English, _) => parts.join(", "),
            (Language::Chinese, _) => parts.join("、"),
        }
    }

    fn shape(&self, shape: &Shape) -> String {
        match shape {
            Shape::Cells(cells) => self.cells(cells),
            Shape::Candidates { cells, digits } => match self.language {
                Language::English => format!("{} in {}", self.digits(*digits), self.cells(cells)),
                Language::Chinese => format!("{} 的 {}", self.cells(cells), self.digits(*digits)),
            },
            Shape::Digits(digits) => self.digits(*digits),
            Shape::House(house) => self.houses(&[*house]),
            Shape::Cage(cage) => self.cage(*cage),
            Shape::Number(number) => number.to_string(),
            Shape::Link(link) => self.link(link),
        }
    }

    fn cells(&self, cells: &[Cell]) -> String {
        notation::cells(cells, self.puzzle.size())
    }

    fn digits(&self, digits: DigitSet) -> String {
        match digits.only() {
            Some(digit) => digit.to_string(),
            None => self.list(&digits.iter().map(|digit| digit.to_string()).collect::<Vec<_>>()),
        }
    }

    /// Houses of one kind in one go: `rows 2 and 5`; `第2、5行`.
    fn houses(&self, ids: &[HouseId]) -> String {
        let houses: Vec<_> = ids.iter().map(|&id| self.puzzle.house(id)).collect();
        let by_kind: Vec<String> = houses
            .chunk_by(|one, other| one.kind == other.kind)
            .map(|houses| {
                let numbers: Vec<String> = houses.iter().map(|house| house.number.to_string()).collect();
                let numbers = self.list(&numbers);
                match self.language {
                    Language::English => format!("{} {numbers}", english_kind(houses[0].kind, houses.len())),
                    Language::Chinese => format!("第{numbers}{}", chinese_kind(houses[0].kind)),
                }
            })
            .collect();
        self.list(&by_kind)
    }

    fn cage(&self, id: CageId) -> String {
        let Cage { cells, operation, target, .. } = self.puzzle.cage(id);
        let cells = self.cells(cells);
        let target = if *target == 0 { String::new() } else { format!("{target}{}", operation.symbol()) };
        match (self.language, target.as_str()) {
            (Language::English, "") => format!("the cage {cells}"),
            (Language::English, _) => format!("the cage {cells} ({target})"),
            (Language::Chinese, "") => format!("笼 {cells} "),
            (Language::Chinese, _) => format!("笼 {cells}（{target}）"),
        }
    }

    /// `4 in r1c2 = 7 in r1c2`: `=` strong, `-` weak.
    fn link(&self, link: &Link) -> String {
        let (from, to) = (self.node(&link.from, link.from_digit), self.node(&link.to, link.to_digit));
        format!("{from} {} {to}", sign(link))
    }

    fn node(&self, cells: &[Cell], digit: Digit) -> String {
        self.shape(&Shape::Candidates { cells: cells.into(), digits: DigitSet::single(digit) })
    }
}

const fn sign(link: &Link) -> char {
    if link.strong { '=' } else { '-' }
}

fn english_kind(kind: HouseKind, count: usize) -> String {
    match (kind, count) {
        (_, 1) => kind.word().to_owned(),
        (HouseKind::Box, _) => "boxes".to_owned(),
        _ => format!("{}s", kind.word()),
    }
}

const fn chinese_kind(kind: HouseKind) -> &'static str {
    match kind {
        HouseKind::Row => "行",
        HouseKind::Column => "列",
        HouseKind::Box => "宫",
        HouseKind::Region => "区",
        HouseKind::Diagonal => "对角线",
        HouseKind::Window => "窗口",
    }
}
