//! The rows of all fish: basic, finned, sashimi, Franken, mutant, Siamese, each of two to seven houses.

use super::choices::Shape::{self, Basic, Franken, Mutant};
use super::{Fins, Wanted, find};
use crate::engine::logic::technique::{Finder, Level, Needs, Technique, Text};

const fn text(en: &'static str, zh: &'static str) -> Text {
    Text { en, zh }
}

/// A sentence and a lesson.
type Texts = [Text; 2];

const FISH: Texts = [
    text(
        "all places for {digits} in {base} lie in {cover}, so {target} can go",
        "{base}中 {digits} 的位置全在{cover}内，因此删去 {target}",
    ),
    text(
        "each of {base} needs its {digits}, and all its places there lie in {cover}, which are as many houses; each of these takes exactly one of them, so {cover} have no {digits} elsewhere and {target} can go",
        "{base}各需要一个 {digits}，而其位置全在同样多的{cover}内；每个覆盖区恰好取得其中一个，所以{cover}的其他位置没有 {digits}，可删去 {target}",
    ),
];

const FRANKEN: Texts = [
    text(
        "all places for {digits} in {base} lie in {cover}, so {target} can go",
        "{base}中 {digits} 的位置全在{cover}内，因此删去 {target}",
    ),
    text(
        "{base} have no place for {digits} in common, so they need as many of it as they are, and all their places for it lie in {cover}, which are no more than that; so each of {cover} has its {digits} there, nowhere else, and not where two of them overlap: {target} can go",
        "{base}没有共同的 {digits} 位置，所以需要与其数目同样多的 {digits}，而其位置全在数目相同的{cover}内；因此{cover}各自的份额都出自那里，既不在别处，也不在两个覆盖区的重叠处：可删去 {target}",
    ),
];

const FINNED: Texts = [
    text(
        "but for the fins in {fin}, all places for {digits} in {base} lie in {cover}; {target} would rule out every fin too, so it can go",
        "除 {fin} 处的鳍以外，{base}中 {digits} 的位置全在{cover}内；{target} 又与每个鳍冲突，因此删去",
    ),
    text(
        "if no fin ({fin}) is {digits}, all places for {digits} in {base} lie in {cover}, as many houses, which then have no {digits} elsewhere; if a fin is {digits}, no cell that sees it is; {target} is ruled out either way, so it can go",
        "若鳍 {fin} 都不是 {digits}，则{base}中 {digits} 的位置全在同样多的{cover}内，后者的其他位置没有 {digits}；若某个鳍是 {digits}，看到它的格就不是；两种情形下 {target} 都不成立，因此删去",
    ),
];

const SIAMESE: Texts = [
    text(
        "{base} make two fish in {digits}, with covers among {cover} and different fins, all in {fin}; together they remove {target}",
        "{base}就 {digits} 构成两条鱼，覆盖区取自{cover}，鳍不同，都在 {fin} 中；两者合起来删去 {target}",
    ),
    text(
        "{base} each need their {digits}; with some of {cover} they make one fish, with others of them a second one, and what is cover in one leaves a fin in the other ({fin}); what sees all fins of a fish and lies in its covers is ruled out, for either fish, so {target} can go",
        "{base}各需要一个 {digits}；取{cover}中的一部分得到一条鱼，取另一部分得到第二条，一条的覆盖处在另一条中成为鳍（{fin}）；对其中任意一条，位于覆盖区内并看到其所有鳍的位置都不成立，因此删去 {target}",
    ),
];

const fn wanted(size: usize, shape: Shape, fins: Fins) -> Wanted {
    Wanted { size, shape, fins }
}

const fn row(
    slug: &'static str,
    name: Text,
    (level, score): (Level, u32),
    find: Finder,
    [sentence, lesson]: Texts,
) -> Technique {
    Technique { slug, name, level, score, needs: Needs::NONE, on_path: true, find, sentence, lesson }
}

/// A row that paths do not look for: rare, and dear to find or hard to see.
const fn off_path(row: Technique) -> Technique {
    Technique { on_path: false, ..row }
}

/// X-wing.
pub const X_WING: Technique = row(
    "x-wing",
    text("X-wing", "X 翼"),
    (Level::Hard, 130),
    |context, sink| find(context, sink, wanted(2, Basic, Fins::None)),
    FISH,
);

/// Swordfish.
pub const SWORDFISH: Technique = row(
    "swordfish",
    text("Swordfish", "剑鱼"),
    (Level::Hard, 160),
    |context, sink| find(context, sink, wanted(3, Basic, Fins::None)),
    FISH,
);

/// Jellyfish.
pub const JELLYFISH: Technique = row(
    "jellyfish",
    text("Jellyfish", "水母"),
    (Level::Hard, 180),
    |context, sink| find(context, sink, wanted(4, Basic, Fins::None)),
    FISH,
);

/// Squirmbag.
pub const SQUIRMBAG: Technique = off_path(row(
    "squirmbag",
    text("Squirmbag", "乌贼"),
    (Level::Unfair, 470),
    |context, sink| find(context, sink, wanted(5, Basic, Fins::None)),
    FISH,
));

/// Whale.
pub const WHALE: Technique = off_path(row(
    "whale",
    text("Whale", "鲸鱼"),
    (Level::Unfair, 471),
    |context, sink| find(context, sink, wanted(6, Basic, Fins::None)),
    FISH,
));

/// Leviathan.
pub const LEVIATHAN: Technique = off_path(row(
    "leviathan",
    text("Leviathan", "利维坦"),
    (Level::Unfair, 472),
    |context, sink| find(context, sink, wanted(7, Basic, Fins::None)),
    FISH,
));

/// Finned X-wing.
pub const FINNED_X_WING: Technique = row(
    "finned-x-wing",
    text("Finned X-wing", "带鳍 X 翼"),
    (Level::Hard, 150),
    |context, sink| find(context, sink, wanted(2, Basic, Fins::Finned)),
    FINNED,
);

/// Finned swordfish.
pub const FINNED_SWORDFISH: Technique = row(
    "finned-swordfish",
    text("Finned swordfish", "带鳍剑鱼"),
    (Level::Unfair, 250),
    |context, sink| find(context, sink, wanted(3, Basic, Fins::Finned)),
    FINNED,
);

/// Finned jellyfish.
pub const FINNED_JELLYFISH: Technique = row(
    "finned-jellyfish",
    text("Finned jellyfish", "带鳍水母"),
    (Level::Unfair, 260),
    |context, sink| find(context, sink, wanted(4, Basic, Fins::Finned)),
    FINNED,
);

/// Finned squirmbag.
pub const FINNED_SQUIRMBAG: Technique = off_path(row(
    "finned-squirmbag",
    text("Finned squirmbag", "带鳍乌贼"),
    (Level::Unfair, 473),
    |context, sink| find(context, sink, wanted(5, Basic, Fins::Finned)),
    FINNED,
));

/// Finned whale.
pub const FINNED_WHALE: Technique = off_path(row(
    "finned-whale",
    text("Finned whale", "带鳍鲸鱼"),
    (Level::Unfair, 476),
    |context, sink| find(context, sink, wanted(6, Basic, Fins::Finned)),
    FINNED,
));

/// Finned leviathan.
pub const FINNED_LEVIATHAN: Technique = off_path(row(
    "finned-leviathan",
    text("Finned leviathan", "带鳍利维坦"),
    (Level::Unfair, 479),
    |context, sink| find(context, sink, wanted(7, Basic, Fins::Finned)),
    FINNED,
));

/// Sashimi X-wing.
pub const SASHIMI_X_WING: Technique = row(
    "sashimi-x-wing",
    text("Sashimi X-wing", "退化 X 翼"),
    (Level::Hard, 155),
    |context, sink| find(context, sink, wanted(2, Basic, Fins::Sashimi)),
    FINNED,
);

/// Sashimi swordfish.
pub const SASHIMI_SWORDFISH: Technique = row(
    "sashimi-swordfish",
    text("Sashimi swordfish", "退化剑鱼"),
    (Level::Unfair, 255),
    |context, sink| find(context, sink, wanted(3, Basic, Fins::Sashimi)),
    FINNED,
);

/// Sashimi jellyfish.
pub const SASHIMI_JELLYFISH: Technique = row(
    "sashimi-jellyfish",
    text("Sashimi jellyfish", "退化水母"),
    (Level::Unfair, 265),
    |context, sink| find(context, sink, wanted(4, Basic, Fins::Sashimi)),
    FINNED,
);

/// Sashimi squirmbag.
pub const SASHIMI_SQUIRMBAG: Technique = off_path(row(
    "sashimi-squirmbag",
    text("Sashimi squirmbag", "退化乌贼"),
    (Level::Unfair, 474),
    |context, sink| find(context, sink, wanted(5, Basic, Fins::Sashimi)),
    FINNED,
));

/// Sashimi whale.
pub const SASHIMI_WHALE: Technique = off_path(row(
    "sashimi-whale",
    text("Sashimi whale", "退化鲸鱼"),
    (Level::Unfair, 477),
    |context, sink| find(context, sink, wanted(6, Basic, Fins::Sashimi)),
    FINNED,
));

/// Sashimi leviathan.
pub const SASHIMI_LEVIATHAN: Technique = off_path(row(
    "sashimi-leviathan",
    text("Sashimi leviathan", "退化利维坦"),
    (Level::Unfair, 480),
    |context, sink| find(context, sink, wanted(7, Basic, Fins::Sashimi)),
    FINNED,
));

/// Siamese X-wing.
pub const SIAMESE_X_WING: Technique = off_path(row(
    "siamese-x-wing",
    text("Siamese X-wing", "孪生 X 翼"),
    (Level::Hard, 156),
    |context, sink| find(context, sink, wanted(2, Basic, Fins::Siamese)),
    SIAMESE,
));

/// Siamese swordfish.
pub const SIAMESE_SWORDFISH: Technique = off_path(row(
    "siamese-swordfish",
    text("Siamese swordfish", "孪生剑鱼"),
    (Level::Unfair, 256),
    |context, sink| find(context, sink, wanted(3, Basic, Fins::Siamese)),
    SIAMESE,
));

/// Siamese jellyfish.
pub const SIAMESE_JELLYFISH: Technique = off_path(row(
    "siamese-jellyfish",
    text("Siamese jellyfish", "孪生水母"),
    (Level::Unfair, 266),
    |context, sink| find(context, sink, wanted(4, Basic, Fins::Siamese)),
    SIAMESE,
));

/// Siamese squirmbag.
pub const SIAMESE_SQUIRMBAG: Technique = off_path(row(
    "siamese-squirmbag",
    text("Siamese squirmbag", "孪生乌贼"),
    (Level::Unfair, 475),
    |context, sink| find(context, sink, wanted(5, Basic, Fins::Siamese)),
    SIAMESE,
));

/// Siamese whale.
pub const SIAMESE_WHALE: Technique = off_path(row(
    "siamese-whale",
    text("Siamese whale", "孪生鲸鱼"),
    (Level::Unfair, 478),
    |context, sink| find(context, sink, wanted(6, Basic, Fins::Siamese)),
    SIAMESE,
));

/// Siamese leviathan.
pub const SIAMESE_LEVIATHAN: Technique = off_path(row(
    "siamese-leviathan",
    text("Siamese leviathan", "孪生利维坦"),
    (Level::Unfair, 481),
    |context, sink| find(context, sink, wanted(7, Basic, Fins::Siamese)),
    SIAMESE,
));

/// Franken X-wing.
pub const FRANKEN_X_WING: Technique = row(
    "franken-x-wing",
    text("Franken X-wing", "弗兰肯 X 翼"),
    (Level::Unfair, 300),
    |context, sink| find(context, sink, wanted(2, Franken, Fins::None)),
    FRANKEN,
);

/// Franken swordfish.
pub const FRANKEN_SWORDFISH: Technique = row(
    "franken-swordfish",
    text("Franken swordfish", "弗兰肯剑鱼"),
    (Level::Unfair, 350),
    |context, sink| find(context, sink, wanted(3, Franken, Fins::None)),
    FRANKEN,
);

/// Franken jellyfish.
pub const FRANKEN_JELLYFISH: Technique = row(
    "franken-jellyfish",
    text("Franken jellyfish", "弗兰肯水母"),
    (Level::Unfair, 370),
    |context, sink| find(context, sink, wanted(4, Franken, Fins::None)),
    FRANKEN,
);

/// Franken squirmbag.
pub const FRANKEN_SQUIRMBAG: Technique = off_path(row(
    "franken-squirmbag",
    text("Franken squirmbag", "弗兰肯乌贼"),
    (Level::Extreme, 560),
    |context, sink| find(context, sink, wanted(5, Franken, Fins::None)),
    FRANKEN,
));

/// Franken whale.
pub const FRANKEN_WHALE: Technique = off_path(row(
    "franken-whale",
    text("Franken whale", "弗兰肯鲸鱼"),
    (Level::Extreme, 570),
    |context, sink| find(context, sink, wanted(6, Franken, Fins::None)),
    FRANKEN,
));

/// Franken leviathan.
pub const FRANKEN_LEVIATHAN: Technique = off_path(row(
    "franken-leviathan",
    text("Franken leviathan", "弗兰肯利维坦"),
    (Level::Extreme, 580),
    |context, sink| find(context, sink, wanted(7, Franken, Fins::None)),
    FRANKEN,
));

/// Finned Franken X-wing.
pub const FINNED_FRANKEN_X_WING: Technique = row(
    "finned-franken-x-wing",
    text("Finned Franken X-wing", "带鳍弗兰肯 X 翼"),
    (Level::Unfair, 390),
    |context, sink| find(context, sink, wanted(2, Franken, Fins::Finned)),
    FINNED,
);

/// Finned Franken swordfish.
pub const FINNED_FRANKEN_SWORDFISH: Technique = row(
    "finned-franken-swordfish",
    text("Finned Franken swordfish", "带鳍弗兰肯剑鱼"),
    (Level::Unfair, 410),
    |context, sink| find(context, sink, wanted(3, Franken, Fins::Finned)),
    FINNED,
);

/// Finned Franken jellyfish.
pub const FINNED_FRANKEN_JELLYFISH: Technique = off_path(row(
    "finned-franken-jellyfish",
    text("Finned Franken jellyfish", "带鳍弗兰肯水母"),
    (Level::Unfair, 430),
    |context, sink| find(context, sink, wanted(4, Franken, Fins::Finned)),
    FINNED,
));

/// Finned Franken squirmbag.
pub const FINNED_FRANKEN_SQUIRMBAG: Technique = off_path(row(
    "finned-franken-squirmbag",
    text("Finned Franken squirmbag", "带鳍弗兰肯乌贼"),
    (Level::Extreme, 562),
    |context, sink| find(context, sink, wanted(5, Franken, Fins::Finned)),
    FINNED,
));

/// Finned Franken whale.
pub const FINNED_FRANKEN_WHALE: Technique = off_path(row(
    "finned-franken-whale",
    text("Finned Franken whale", "带鳍弗兰肯鲸鱼"),
    (Level::Extreme, 572),
    |context, sink| find(context, sink, wanted(6, Franken, Fins::Finned)),
    FINNED,
));

/// Finned Franken leviathan.
pub const FINNED_FRANKEN_LEVIATHAN: Technique = off_path(row(
    "finned-franken-leviathan",
    text("Finned Franken leviathan", "带鳍弗兰肯利维坦"),
    (Level::Extreme, 582),
    |context, sink| find(context, sink, wanted(7, Franken, Fins::Finned)),
    FINNED,
));

/// Siamese Franken X-wing.
pub const SIAMESE_FRANKEN_X_WING: Technique = off_path(row(
    "siamese-franken-x-wing",
    text("Siamese Franken X-wing", "孪生弗兰肯 X 翼"),
    (Level::Unfair, 391),
    |context, sink| find(context, sink, wanted(2, Franken, Fins::Siamese)),
    SIAMESE,
));

/// Siamese Franken swordfish.
pub const SIAMESE_FRANKEN_SWORDFISH: Technique = off_path(row(
    "siamese-franken-swordfish",
    text("Siamese Franken swordfish", "孪生弗兰肯剑鱼"),
    (Level::Unfair, 411),
    |context, sink| find(context, sink, wanted(3, Franken, Fins::Siamese)),
    SIAMESE,
));

/// Siamese Franken jellyfish.
pub const SIAMESE_FRANKEN_JELLYFISH: Technique = off_path(row(
    "siamese-franken-jellyfish",
    text("Siamese Franken jellyfish", "孪生弗兰肯水母"),
    (Level::Unfair, 431),
    |context, sink| find(context, sink, wanted(4, Franken, Fins::Siamese)),
    SIAMESE,
));

/// Siamese Franken squirmbag.
pub const SIAMESE_FRANKEN_SQUIRMBAG: Technique = off_path(row(
    "siamese-franken-squirmbag",
    text("Siamese Franken squirmbag", "孪生弗兰肯乌贼"),
    (Level::Extreme, 564),
    |context, sink| find(context, sink, wanted(5, Franken, Fins::Siamese)),
    SIAMESE,
));

/// Siamese Franken whale.
pub const SIAMESE_FRANKEN_WHALE: Technique = off_path(row(
    "siamese-franken-whale",
    text("Siamese Franken whale", "孪生弗兰肯鲸鱼"),
    (Level::Extreme, 574),
    |context, sink| find(context, sink, wanted(6, Franken, Fins::Siamese)),
    SIAMESE,
));

/// Siamese Franken leviathan.
pub const SIAMESE_FRANKEN_LEVIATHAN: Technique = off_path(row(
    "siamese-franken-leviathan",
    text("Siamese Franken leviathan", "孪生弗兰肯利维坦"),
    (Level::Extreme, 584),
    |context, sink| find(context, sink, wanted(7, Franken, Fins::Siamese)),
    SIAMESE,
));

/// Mutant X-wing.
pub const MUTANT_X_WING: Technique = off_path(row(
    "mutant-x-wing",
    text("Mutant X-wing", "变异 X 翼"),
    (Level::Extreme, 500),
    |context, sink| find(context, sink, wanted(2, Mutant, Fins::None)),
    FRANKEN,
));

/// Mutant swordfish.
pub const MUTANT_SWORDFISH: Technique = off_path(row(
    "mutant-swordfish",
    text("Mutant swordfish", "变异剑鱼"),
    (Level::Extreme, 510),
    |context, sink| find(context, sink, wanted(3, Mutant, Fins::None)),
    FRANKEN,
));

/// Mutant jellyfish.
pub const MUTANT_JELLYFISH: Technique = off_path(row(
    "mutant-jellyfish",
    text("Mutant jellyfish", "变异水母"),
    (Level::Extreme, 520),
    |context, sink| find(context, sink, wanted(4, Mutant, Fins::None)),
    FRANKEN,
));

/// Mutant squirmbag.
pub const MUTANT_SQUIRMBAG: Technique = off_path(row(
    "mutant-squirmbag",
    text("Mutant squirmbag", "变异乌贼"),
    (Level::Extreme, 590),
    |context, sink| find(context, sink, wanted(5, Mutant, Fins::None)),
    FRANKEN,
));

/// Mutant whale.
pub const MUTANT_WHALE: Technique = off_path(row(
    "mutant-whale",
    text("Mutant whale", "变异鲸鱼"),
    (Level::Extreme, 600),
    |context, sink| find(context, sink, wanted(6, Mutant, Fins::None)),
    FRANKEN,
));

/// Mutant leviathan.
pub const MUTANT_LEVIATHAN: Technique = off_path(row(
    "mutant-leviathan",
    text("Mutant leviathan", "变异利维坦"),
    (Level::Extreme, 610),
    |context, sink| find(context, sink, wanted(7, Mutant, Fins::None)),
    FRANKEN,
));

/// Finned mutant X-wing.
pub const FINNED_MUTANT_X_WING: Technique = off_path(row(
    "finned-mutant-x-wing",
    text("Finned mutant X-wing", "带鳍变异 X 翼"),
    (Level::Extreme, 530),
    |context, sink| find(context, sink, wanted(2, Mutant, Fins::Finned)),
    FINNED,
));

/// Finned mutant swordfish.
pub const FINNED_MUTANT_SWORDFISH: Technique = off_path(row(
    "finned-mutant-swordfish",
    text("Finned mutant swordfish", "带鳍变异剑鱼"),
    (Level::Extreme, 540),
    |context, sink| find(context, sink, wanted(3, Mutant, Fins::Finned)),
    FINNED,
));

/// Finned mutant jellyfish.
pub const FINNED_MUTANT_JELLYFISH: Technique = off_path(row(
    "finned-mutant-jellyfish",
    text("Finned mutant jellyfish", "带鳍变异水母"),
    (Level::Extreme, 550),
    |context, sink| find(context, sink, wanted(4, Mutant, Fins::Finned)),
    FINNED,
));

/// Finned mutant squirmbag.
pub const FINNED_MUTANT_SQUIRMBAG: Technique = off_path(row(
    "finned-mutant-squirmbag",
    text("Finned mutant squirmbag", "带鳍变异乌贼"),
    (Level::Extreme, 592),
    |context, sink| find(context, sink, wanted(5, Mutant, Fins::Finned)),
    FINNED,
));

/// Finned mutant whale.
pub const FINNED_MUTANT_WHALE: Technique = off_path(row(
    "finned-mutant-whale",
    text("Finned mutant whale", "带鳍变异鲸鱼"),
    (Level::Extreme, 602),
    |context, sink| find(context, sink, wanted(6, Mutant, Fins::Finned)),
    FINNED,
));

/// Finned mutant leviathan.
pub const FINNED_MUTANT_LEVIATHAN: Technique = off_path(row(
    "finned-mutant-leviathan",
    text("Finned mutant leviathan", "带鳍变异利维坦"),
    (Level::Extreme, 612),
    |context, sink| find(context, sink, wanted(7, Mutant, Fins::Finned)),
    FINNED,
));

/// Siamese mutant X-wing.
pub const SIAMESE_MUTANT_X_WING: Technique = off_path(row(
    "siamese-mutant-x-wing",
    text("Siamese mutant X-wing", "孪生变异 X 翼"),
    (Level::Extreme, 532),
    |context, sink| find(context, sink, wanted(2, Mutant, Fins::Siamese)),
    SIAMESE,
));

/// Siamese mutant swordfish.
pub const SIAMESE_MUTANT_SWORDFISH: Technique = off_path(row(
    "siamese-mutant-swordfish",
    text("Siamese mutant swordfish", "孪生变异剑鱼"),
    (Level::Extreme, 542),
    |context, sink| find(context, sink, wanted(3, Mutant, Fins::Siamese)),
    SIAMESE,
));

/// Siamese mutant jellyfish.
pub const SIAMESE_MUTANT_JELLYFISH: Technique = off_path(row(
    "siamese-mutant-jellyfish",
    text("Siamese mutant jellyfish", "孪生变异水母"),
    (Level::Extreme, 552),
    |context, sink| find(context, sink, wanted(4, Mutant, Fins::Siamese)),
    SIAMESE,
));

/// Siamese mutant squirmbag.
pub const SIAMESE_MUTANT_SQUIRMBAG: Technique = off_path(row(
    "siamese-mutant-squirmbag",
    text("Siamese mutant squirmbag", "孪生变异乌贼"),
    (Level::Extreme, 594),
    |context, sink| find(context, sink, wanted(5, Mutant, Fins::Siamese)),
    SIAMESE,
));

/// Siamese mutant whale.
pub const SIAMESE_MUTANT_WHALE: Technique = off_path(row(
    "siamese-mutant-whale",
    text("Siamese mutant whale", "孪生变异鲸鱼"),
    (Level::Extreme, 604),
    |context, sink| find(context, sink, wanted(6, Mutant, Fins::Siamese)),
    SIAMESE,
));

/// Siamese mutant leviathan.
pub const SIAMESE_MUTANT_LEVIATHAN: Technique = off_path(row(
    "siamese-mutant-leviathan",
    text("Siamese mutant leviathan", "孪生变异利维坦"),
    (Level::Extreme, 614),
    |context, sink| find(context, sink, wanted(7, Mutant, Fins::Siamese)),
    SIAMESE,
));
