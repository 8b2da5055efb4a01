//! The techniques of the scale: names, levels and scores of HoDoKu 2.2.0 as it comes, in the order of its search.

use crate::engine::logic::Level;

/// Makes [`Method`] and its facts from one list.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $name:ident $slug:literal $level:ident $score:literal,)+) => {
        /// A technique of the scale.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Method { $($(#[doc = $doc])+ $name,)+ }

        impl Method {
            /// Every technique, in the order of the search.
            pub const ALL: &[Method] = &[$(Method::$name,)+];

            /// Its short name.
            pub const fn slug(self) -> &'static str {
                match self { $(Method::$name => $slug,)+ }
            }

            /// How hard it is.
            pub const fn level(self) -> Level {
                match self { $(Method::$name => Level::$level,)+ }
            }

            /// What a step counts.
            pub const fn score(self) -> u32 {
                match self { $(Method::$name => $score,)+ }
            }
        }
    };
}

methods! {
    /// Full house.
    FullHouse "full-house" Easy 4,
    /// Naked single.
    NakedSingle "naked-single" Easy 4,
    /// Hidden single.
    HiddenSingle "hidden-single" Easy 14,
    /// Locked pair.
    LockedPair "locked-pair" Medium 40,
    /// Locked triple.
    LockedTriple "locked-triple" Medium 60,
    /// Locked candidates, type 1.
    Pointing "pointing" Medium 50,
    /// Locked candidates, type 2.
    Claiming "claiming" Medium 50,
    /// Naked pair.
    NakedPair "naked-pair" Medium 60,
    /// Naked triple.
    NakedTriple "naked-triple" Medium 80,
    /// Hidden pair.
    HiddenPair "hidden-pair" Medium 70,
    /// Hidden triple.
    HiddenTriple "hidden-triple" Medium 100,
    /// Naked quadruple.
    NakedQuadruple "naked-quadruple" Hard 120,
    /// Hidden quadruple.
    HiddenQuadruple "hidden-quadruple" Hard 150,
    /// X-wing.
    XWing "x-wing" Hard 140,
    /// Swordfish.
    Swordfish "swordfish" Hard 150,
    /// Jellyfish.
    Jellyfish "jellyfish" Hard 160,
    /// Remote pair.
    RemotePair "remote-pair" Hard 110,
    /// Bivalue universal grave + 1.
    Grave "bug-1" Hard 100,
    /// Skyscraper.
    Skyscraper "skyscraper" Hard 130,
    /// Two-string kite.
    TwoStringKite "two-string-kite" Hard 150,
    /// Turbot fish.
    TurbotFish "turbot-fish" Hard 120,
    /// Empty rectangle.
    EmptyRectangle "empty-rectangle" Hard 120,
    /// W-wing.
    WWing "w-wing" Hard 150,
    /// XY-wing.
    XyWing "xy-wing" Hard 160,
    /// XYZ-wing.
    XyzWing "xyz-wing" Hard 180,
    /// Uniqueness test 1.
    Uniqueness1 "unique-rectangle-1" Hard 100,
    /// Uniqueness test 2.
    Uniqueness2 "unique-rectangle-2" Hard 100,
    /// Uniqueness test 3.
    Uniqueness3 "unique-rectangle-3" Hard 100,
    /// Uniqueness test 4.
    Uniqueness4 "unique-rectangle-4" Hard 100,
    /// Uniqueness test 5.
    Uniqueness5 "unique-rectangle-5" Hard 100,
    /// Uniqueness test 6.
    Uniqueness6 "unique-rectangle-6" Hard 100,
    /// Hidden rectangle.
    HiddenRectangle "hidden-rectangle" Hard 100,
    /// Avoidable rectangle, type 1.
    Avoidable1 "avoidable-rectangle-1" Hard 100,
    /// Avoidable rectangle, type 2.
    Avoidable2 "avoidable-rectangle-2" Hard 100,
    /// Finned X-wing.
    FinnedXWing "finned-x-wing" Hard 130,
    /// Sashimi X-wing.
    SashimiXWing "sashimi-x-wing" Hard 150,
    /// Finned swordfish.
    FinnedSwordfish "finned-swordfish" Unfair 200,
    /// Sashimi swordfish.
    SashimiSwordfish "sashimi-swordfish" Unfair 240,
    /// Finned jellyfish.
    FinnedJellyfish "finned-jellyfish" Unfair 250,
    /// Sashimi jellyfish.
    SashimiJellyfish "sashimi-jellyfish" Unfair 260,
    /// Sue de Coq.
    SueDeCoq "sue-de-coq" Unfair 250,
    /// Simple colours.
    SimpleColours "simple-colours" Hard 150,
    /// Multi colours.
    MultiColours "multi-colours" Hard 200,
    /// X-chain.
    XChain "x-chain" Unfair 260,
    /// XY-chain.
    XyChain "xy-chain" Unfair 260,
    /// Nice loop or AIC.
    NiceLoop "nice-loop" Unfair 280,
    /// The same with groups.
    GroupedNiceLoop "grouped-nice-loop" Unfair 300,
    /// Almost locked sets, XZ-rule.
    AlsXz "als-xz" Unfair 300,
    /// Almost locked sets, XY-wing.
    AlsXyWing "als-xy-wing" Unfair 320,
    /// Almost locked sets, chain.
    AlsChain "als-chain" Unfair 340,
    /// Franken X-wing.
    FrankenXWing "franken-x-wing" Unfair 300,
    /// Franken swordfish.
    FrankenSwordfish "franken-swordfish" Unfair 350,
    /// Finned Franken X-wing.
    FinnedFrankenXWing "finned-franken-x-wing" Unfair 390,
    /// Finned Franken swordfish.
    FinnedFrankenSwordfish "finned-franken-swordfish" Unfair 410,
    /// Forcing chain.
    ForcingChain "forcing-chain" Extreme 500,
    /// Forcing net.
    ForcingNet "forcing-net" Extreme 700,
    /// A digit from the solution.
    BruteForce "brute-force" Extreme 10000,
}
