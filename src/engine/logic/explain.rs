//! Explanations: the sentence of a technique, its slots filled from the marks of a step.

use std::collections::HashMap;
use std::sync::LazyLock;

use smallvec::SmallVec;

use super::registry::TECHNIQUES;
use super::{Link, Mark, Role, Shape, Step, Technique, Text};
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
    say(step, puzzle, language, |texts| &texts.sentence)
}

/// The same for those who learn the technique.
pub fn teach(step: &Step, puzzle: &Puzzle, language: Language) -> String {
    say(step, puzzle, language, |texts| &texts.lesson)
}

/// A piece of a text.
enum Piece {
    Words(&'static str),
    Role(Role),
    Conclusions,
}

/// Of a text, its pieces in each language.
type Pieces = [Vec<Piece>; Language::ALL.len()];

/// The texts of a technique.
struct Texts {
    sentence: Pieces,
    lesson: Pieces,
}

/// The texts of all techniques, by their slugs. They are cut once: a stream has thousands of sentences a second.
static TEXTS: LazyLock<HashMap<&str, Texts>> = LazyLock::new(|| {
    let pieces = |text: &Text| Language::ALL.map(|language| cut(language.of(text)));
    let texts = |row: &Technique| Texts { sentence: pieces(&row.sentence), lesson: pieces(&row.lesson) };
    TECHNIQUES.iter().map(|row| (row.slug, texts(row))).collect()
});

/// Cuts a text at its slots.
fn cut(mut rest: &'static str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while let Some((before, after)) = rest.split_once('{') {
        let (word, after) = after.split_once('}').unwrap_or((after, ""));
        pieces.push(Piece::Words(before));
        pieces.extend(match Role::from_word(word) {
            None if word == CONCLUSION => Some(Piece::Conclusions),
            role => role.map(Piece::Role),
        });
        rest = after;
    }
    pieces.push(Piece::Words(rest));
    pieces
}

fn say(step: &Step, puzzle: &Puzzle, language: Language, text: fn(&Texts) -> &Pieces) -> String {
    let mut words = Words { puzzle, language, text: String::with_capacity(128) };
    let Some(texts) = TEXTS.get(step.technique.as_str()) else {
        words.text.push_str(step.technique.as_str());
        words.text.push_str(": ");
        words.conclusions(step);
        return words.text;
    };
    let marks = step.marks();
    for piece in &text(texts)[language as usize] {
        match piece {
            Piece::Words(text) => words.text.push_str(text),
            Piece::Role(role) => words.role(&marks, *role),
            Piece::Conclusions => words.conclusions(step),
        }
    }
    words.text
}

/// A text in the making.
struct Words<'a> {
    puzzle: &'a Puzzle,
    language: Language,
    text: String,
}

impl Words<'_> {
    fn conclusions(&mut self, step: &Step) {
        for (place, conclusion) in step.conclusions.iter().enumerate() {
            self.text.push_str(if place == 0 { "" } else { ", " });
            self.text.push_str(&conclusion.notation(self.puzzle.size()));
        }
    }

    fn role(&mut self, marks: &[Mark], role: Role) {
        let shapes: SmallVec<[&Shape; 8]> =
            marks.iter().filter(|mark| mark.role == role).map(|mark| &mark.shape).collect();
        let (mut houses, mut links) = (SmallVec::<[HouseId; 8]>::new(), SmallVec::<[&Link; 8]>::new());
        for shape in &shapes {
            match shape {
                Shape::House(house) => houses.push(*house),
                Shape::Link(link) => links.push(link),
                _ => {}
            }
        }
        match shapes.len() {
            _ if houses.len() == shapes.len() => self.houses(&houses),
            _ if links.len() == shapes.len() => self.chains(&links),
            _ => self.list(shapes.into_iter(), |words, shape| words.shape(shape)),
        }
    }

    /// Links that go on from one another in one go: `4 in r1c2 = 4 in r1c7 - 8 in r1c7`.
    fn chains(&mut self, links: &[&Link]) {
        let goes_on = |one: &&Link, next: &&Link| (&one.to, one.to_digit) == (&next.from, next.from_digit);
        let chains: Vec<&[&Link]> = links.chunk_by(goes_on).collect();
        self.list(chains.into_iter(), |words, chain| {
            words.node(&chain[0].from, chain[0].from_digit);
            for link in chain {
                words.goes_to(link);
            }
        });
    }

    /// `a, b and c`.
    fn list<T>(&mut self, parts: impl ExactSizeIterator<Item = T>, write: impl Fn(&mut Self, T)) {
        let last = parts.len().saturating_sub(1);
        for (place, part) in parts.enumerate() {
            self.text.push_str(match self.language {
                _ if place == 0 => "",
                Language::English if place == last => " and ",
                Language::English => ", ",
                Language::Chinese => "、",
            });
            write(self, part);
        }
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Cells(cells) => self.cells(cells),
            Shape::Candidates { cells, digits } => self.candidates(cells, *digits),
            Shape::Digits(digits) => self.digits(*digits),
            Shape::House(house) => self.houses(&[*house]),
            Shape::Cage(cage) => self.cage(*cage),
            Shape::Number(number) => self.text.push_str(&number.to_string()),
            Shape::Link(link) => {
                self.node(&link.from, link.from_digit);
                self.goes_to(link);
            }
        }
    }

    fn candidates(&mut self, cells: &[Cell], digits: DigitSet) {
        match self.language {
            Language::English => {
                self.digits(digits);
                self.text.push_str(" in ");
                self.cells(cells);
            }
            Language::Chinese => {
                self.cells(cells);
                self.text.push_str(" 的 ");
                self.digits(digits);
            }
        }
    }

    fn cells(&mut self, cells: &[Cell]) {
        self.text.push_str(&notation::cells(cells, self.puzzle.size()));
    }

    fn digits(&mut self, digits: DigitSet) {
        match digits.only() {
            Some(digit) => self.text.push(digit.symbol()),
            None => {
                let digits: SmallVec<[Digit; 25]> = digits.iter().collect();
                self.list(digits.into_iter(), |words, digit| words.text.push(digit.symbol()));
            }
        }
    }

    /// Houses of one kind in one go: `rows 2 and 5`; `第2、5行`.
    fn houses(&mut self, ids: &[HouseId]) {
        let puzzle = self.puzzle;
        let kind = |id: &HouseId| puzzle.house(*id).kind;
        let by_kind: SmallVec<[&[HouseId]; 4]> =
            ids.chunk_by(|one, other| kind(one) == kind(other)).collect();
        self.list(by_kind.into_iter(), |words, ids| {
            let kind = kind(&ids[0]);
            let numbers = ids.iter().map(|id| puzzle.house(*id).number.to_string());
            match words.language {
                Language::English => {
                    words.text.push_str(kind.word());
                    words.text.push_str(match (kind, ids) {
                        (_, [_]) => " ",
                        (HouseKind::Box, _) => "es ",
                        _ => "s ",
                    });
                    words.list(numbers, |words, number| words.text.push_str(&number));
                }
                Language::Chinese => {
                    words.text.push('第');
                    words.list(numbers, |words, number| words.text.push_str(&number));
                    words.text.push_str(chinese_kind(kind));
                }
            }
        });
    }

    fn cage(&mut self, id: CageId) {
        let Cage { cells, operation, target, .. } = self.puzzle.cage(id);
        self.text.push_str(match self.language {
            Language::English => "the cage ",
            Language::Chinese => "笼 ",
        });
        self.cells(cells);
        let target = if *target == 0 { String::new() } else { format!("{target}{}", operation.symbol()) };
        match (self.language, target.as_str()) {
            (Language::English, "") => {}
            (Language::English, _) => self.text.push_str(&format!(" ({target})")),
            (Language::Chinese, "") => self.text.push(' '),
            (Language::Chinese, _) => self.text.push_str(&format!("（{target}）")),
        }
    }

    /// ` = 7 in r1c2`: `=` strong, `-` weak.
    fn goes_to(&mut self, link: &Link) {
        self.text.push_str(if link.strong { " = " } else { " - " });
        self.node(&link.to, link.to_digit);
    }

    fn node(&mut self, cells: &[Cell], digit: Digit) {
        self.candidates(cells, DigitSet::single(digit));
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
