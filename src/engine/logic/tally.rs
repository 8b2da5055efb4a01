//! Counts kept for all houses of a board at once, each in a column of bits.

/// How many of something there are in each house, 0 to 31: bit `i` of plane `k` is bit `k` of the count of house `i`.
///
/// ```text
///            house 3   house 2   house 1   house 0
/// plane 0       1         0         1         1
/// plane 1       0         1         1         0
/// plane 2       1         0         0         0
///              = 5       = 2       = 3       = 1
/// ```
///
/// A cell enters or leaves all of its houses in a few operations, and the houses with none or one are at hand.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally([u64; 5]);

impl Tally {
    /// One more in each of these houses.
    #[inline]
    pub fn add(&mut self, houses: u64) {
        let mut carry = houses;
        for plane in &mut self.0 {
            let both = *plane & carry;
            *plane ^= carry;
            carry = both;
        }
    }

    /// One less in each of these houses, none of which has none.
    #[inline]
    pub fn subtract(&mut self, houses: u64) {
        let mut borrow = houses;
        for plane in &mut self.0 {
            *plane ^= borrow;
            borrow &= *plane;
        }
    }

    /// None in these houses.
    #[inline]
    pub fn clear(&mut self, houses: u64) {
        for plane in &mut self.0 {
            *plane &= !houses;
        }
    }

    /// The houses with one.
    #[inline]
    pub fn one(&self) -> u64 {
        let [first, rest @ ..] = self.0;
        first & !rest.into_iter().fold(0, |more, plane| more | plane)
    }

    /// The houses with more or fewer than in the other.
    #[inline]
    pub fn differing(&self, other: &Tally) -> u64 {
        self.0.iter().zip(other.0).fold(0, |differing, (one, other)| differing | (one ^ other))
    }

    /// The houses with two.
    #[inline]
    pub fn two(&self) -> u64 {
        let [first, second, rest @ ..] = self.0;
        second & !rest.into_iter().fold(first, |other, plane| other | plane)
    }

    /// The houses with two or more.
    #[inline]
    pub fn several(&self) -> u64 {
        self.0[1..].iter().fold(0, |several, plane| several | plane)
    }

    /// The houses with four or more.
    #[inline]
    pub fn four(&self) -> u64 {
        self.0[2..].iter().fold(0, |four, plane| four | plane)
    }

    /// The houses with any.
    #[inline]
    pub fn any(&self) -> u64 {
        self.0.into_iter().fold(0, |any, plane| any | plane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_every_house() {
        let mut tally = Tally::default();
        let mut counts = [0u32; 64];
        let mut houses = 1u64;
        let check = |tally: &Tally, counts: &[u32; 64]| {
            let with = |is_so: &dyn Fn(u32) -> bool| {
                (0..64).fold(0, |houses, house| houses | u64::from(is_so(counts[house])) << house)
            };
            assert_eq!(tally.one(), with(&|count| count == 1), "{counts:?}");
            assert_eq!(tally.two(), with(&|count| count == 2), "{counts:?}");
            assert_eq!(tally.several(), with(&|count| count > 1), "{counts:?}");
            assert_eq!(tally.four(), with(&|count| count > 3), "{counts:?}");
            assert_eq!(tally.any(), with(&|count| count > 0), "{counts:?}");
        };
        for turn in 0..400 {
            // Some mixture of bits, another each turn.
            houses = houses.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chosen = |limit: &dyn Fn(u32) -> bool| {
                (0..64).filter(|house| limit(counts[*house])).fold(0, |all, house| all | 1 << house) & houses
            };
            match turn % 8 {
                0..4 => {
                    let chosen = chosen(&|count| count < 25);
                    tally.add(chosen);
                    (0..64).filter(|house| chosen >> house & 1 != 0).for_each(|house| counts[house] += 1);
                }
                4..7 => {
                    let chosen = chosen(&|count| count > 0);
                    tally.subtract(chosen);
                    (0..64).filter(|house| chosen >> house & 1 != 0).for_each(|house| counts[house] -= 1);
                }
                _ => {
                    let chosen = houses & houses >> 1;
                    tally.clear(chosen);
                    (0..64).filter(|house| chosen >> house & 1 != 0).for_each(|house| counts[house] = 0);
                }
            }
            check(&tally, &counts);
        }
    }
}
