//! The Explainer's own names for what it finds.

/// Makes [`Technique`] and its names from one list.
macro_rules! techniques {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal,)+) => {
        /// A technique of the Explainer, in the order of its search.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Technique { $($(#[doc = $doc])+ $name,)+ }

        impl Technique {
            /// Every technique, in the order of the search.
            pub const ALL: &[Technique] = &[$(Technique::$name,)+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Technique::$name => $word,)+ }
            }
        }
    };
}

techniques! {
    /// The last place of a digit in a house, or the last open cell.
    HiddenSingle "Hidden Single",
    /// Pointing that leaves a single.
    DirectPointing "Direct Pointing",
    /// Claiming that leaves a single.
    DirectClaiming "Direct Claiming",
    /// A hidden pair that leaves a single.
    DirectHiddenPair "Direct Hidden Pair",
    /// The last candidate of a cell.
    NakedSingle "Naked Single",
    /// A hidden triplet that leaves a single.
    DirectHiddenTriplet "Direct Hidden Triplet",
    /// A digit of a box on one line.
    Pointing "Pointing",
    /// A digit of a line in one box.
    Claiming "Claiming",
    /// Two cells with two digits.
    NakedPair "Naked Pair",
    /// A fish of two lines.
    XWing "X-Wing",
    /// Two digits in two cells.
    HiddenPair "Hidden Pair",
    /// Three cells with three digits.
    NakedTriplet "Naked Triplet",
    /// A fish of three lines.
    Swordfish "Swordfish",
    /// Three digits in three cells.
    HiddenTriplet "Hidden Triplet",
    /// Three cells with two digits each.
    XyWing "XY-Wing",
    /// Three cells, the pivot with three digits.
    XyzWing "XYZ-Wing",
    /// A rectangle or longer loop of two digits.
    UniqueLoop "Unique Loop",
    /// Four cells with four digits.
    NakedQuad "Naked Quad",
    /// A fish of four lines.
    Jellyfish "Jellyfish",
    /// Four digits in four cells.
    HiddenQuad "Hidden Quad",
    /// All but a few candidates form pairs everywhere.
    Bug "Bivalue Universal Grave",
    /// Two cells whose combinations others exclude.
    AlignedPairExclusion "Aligned Pair Exclusion",
    /// A loop of alternating links, of one kind or both.
    BidirectionalCycle "Bidirectional Cycle",
    /// A chain of one digit.
    ForcingXChain "Forcing X-Chain",
    /// A chain through cells and houses.
    ForcingChain "Forcing Chain",
    /// Three cells whose combinations others exclude.
    AlignedTripletExclusion "Aligned Triplet Exclusion",
    /// A digit whose place contradicts itself.
    Nishio "Nishio Forcing Chains",
    /// Chains from all candidates of a cell, or all places of a digit.
    MultipleForcingChains "Multiple Forcing Chains",
    /// Chains that remember what they removed.
    DynamicForcingChains "Dynamic Forcing Chains",
    /// As before, with intersections, pairs and X-Wings.
    DynamicForcingChainsPlus "Dynamic Forcing Chains (+)",
    /// As before, with forcing chains nested.
    NestedForcingChains "Dynamic Forcing Chains (+ Forcing Chains)",
    /// As before, with multiple forcing chains nested.
    NestedMultipleChains "Dynamic Forcing Chains (+ Multiple Forcing Chains)",
    /// As before, with dynamic forcing chains nested.
    NestedDynamicChains "Dynamic Forcing Chains (+ Dynamic Forcing Chains)",
    /// As before, with the nested ones nesting forcing chains.
    NestedTwice "Dynamic Forcing Chains (+ Dynamic Forcing Chains (+ Forcing Chains))",
}
