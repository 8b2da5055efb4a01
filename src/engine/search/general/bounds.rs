//! A relation kept as its rule alone: what the smallest and largest digits allow, and everything once few ways
//! are left to fill the open cells.

use super::Halt;
use super::domains::Domains;
use super::fill::{MAX_CELLS, Rule, between, ends, fill};
use super::relations::slots_of;

/// Up to so many ways to fill the open cells, all are tried.
const FEW_WAYS: u64 = 256;

/// Draws what follows.
pub(super) fn propagate(
    domains: &mut Domains<'_>,
    cells: &[u16],
    rule: Rule,
    distinct: bool,
) -> Result<u64, Halt> {
    let work = 1 + cells.len() as u64 / 2;
    match rule {
        Rule::Sum { target, minus } => bound_sum(domains, cells, target, minus, distinct)?,
        Rule::Product(target) => bound_product(domains, cells, target)?,
        Rule::SumOrProduct(target) => bound_either(domains, cells, target, distinct)?,
        Rule::Pair(..) | Rule::Any => {}
    }
    Ok(work + try_few(domains, cells, rule, distinct)?)
}

/// What the cells without the one in question give at least and at most.
fn sum_ends(domains: &Domains<'_>, cells: &[u16], minus: u32) -> (i64, i64) {
    cells.iter().enumerate().fold((0, 0), |(low, high), (at, &cell)| {
        let (least, most) = signed_ends(domains.of(cell), is_minus(minus, at));
        (low + least, high + most)
    })
}

/// Only linear facts have cells that count negatively, and they are short.
fn is_minus(minus: u32, at: usize) -> bool {
    at < 32 && minus >> at & 1 == 1
}

fn signed_ends(candidates: u32, is_minus: bool) -> (i64, i64) {
    let (low, high) = ends(candidates);
    if is_minus { (-high, -low) } else { (low, high) }
}

fn bound_sum(
    domains: &mut Domains<'_>,
    cells: &[u16],
    target: i64,
    minus: u32,
    distinct: bool,
) -> Result<(), Halt> {
    let (low, high) = sum_ends(domains, cells, minus);
    if low > target || high < target {
        return Err(Halt::Conflict);
    }
    for (at, &cell) in cells.iter().enumerate() {
        let keep = sum_window(domains.of(cell), is_minus(minus, at), target, (low, high));
        domains.keep(cell, keep)?;
    }
    if distinct && minus == 0 { bound_distinct_sum(domains, cells, target) } else { Ok(()) }
}

/// What a cell may hold so that the others, at their least and most, can still make up the target.
fn sum_window(candidates: u32, is_minus: bool, target: i64, (low, high): (i64, i64)) -> u32 {
    let (least, most) = signed_ends(candidates, is_minus);
    let (from, to) = (target - (high - most), target - (low - least));
    if is_minus { between(-to, -from) } else { between(from, to) }
}

/// Cells that differ: the open ones give at least the smallest open digits, at most the largest.
fn bound_distinct_sum(domains: &mut Domains<'_>, cells: &[u16], target: i64) -> Result<(), Halt> {
    let (mut union, mut left, mut open) = (0u32, target, 0u32);
    for &cell in cells {
        let digits = domains.of(cell);
        if digits & (digits - 1) == 0 {
            left -= i64::from(digits.trailing_zeros()) + 1;
        } else {
            union |= digits;
            open += 1;
        }
    }
    if open == 0 {
        return Ok(());
    }
    if union.count_ones() < open {
        return Err(Halt::Conflict);
    }
    // The others of a cell give at least the smallest and at most the largest `open - 1` digits.
    let (mut low, mut high) = (0, 0);
    let (mut rising, mut falling) = (union, union);
    for _ in 1..open {
        low += i64::from(rising.trailing_zeros()) + 1;
        rising &= rising - 1;
        high += 32 - i64::from(falling.leading_zeros());
        falling &= !(1 << (31 - falling.leading_zeros()));
    }
    for &cell in cells {
        let digits = domains.of(cell);
        if digits & (digits - 1) != 0 {
            domains.keep(cell, between(left - high, left - low))?;
        }
    }
    Ok(())
}

fn bound_product(domains: &mut Domains<'_>, cells: &[u16], target: u64) -> Result<(), Halt> {
    let Some(left) = open_product(domains, cells, target) else { return Err(Halt::Conflict) };
    for &cell in cells {
        let digits = domains.of(cell);
        if digits & (digits - 1) != 0 {
            domains.keep(cell, product_window(digits, left))?;
        }
    }
    Ok(())
}

/// What the open cells have to give, and what they give at least and at most; nothing if they cannot.
#[derive(Clone, Copy)]
struct OpenProduct {
    left: u64,
    low: u64,
    high: u64,
}

fn open_product(domains: &Domains<'_>, cells: &[u16], target: u64) -> Option<OpenProduct> {
    let mut open = OpenProduct { left: target, low: 1, high: 1 };
    for &cell in cells {
        let digits = domains.of(cell);
        let (low, high) = ends(digits);
        if digits & (digits - 1) == 0 {
            if !open.left.is_multiple_of(low as u64) {
                return None;
            }
            open.left /= low as u64;
        } else {
            open.low = open.low.saturating_mul(low as u64);
            open.high = open.high.saturating_mul(high as u64);
        }
    }
    (open.low <= open.left && open.left <= open.high).then_some(open)
}

/// The divisors of what is left for which the other open cells can make up the rest.
fn product_window(candidates: u32, open: OpenProduct) -> u32 {
    let (low, high) = ends(candidates);
    let others_low = open.low / low as u64;
    // A saturated product says nothing.
    let others_high = if open.high == u64::MAX { u64::MAX } else { open.high / high as u64 };
    let mut keep = 0;
    let mut digits = candidates;
    while digits != 0 {
        let value = u64::from(digits.trailing_zeros()) + 1;
        let rest = open.left / value;
        if open.left.is_multiple_of(value)
            && rest <= others_high
            && (open.low == u64::MAX || rest >= others_low)
        {
            keep |= digits & digits.wrapping_neg();
        }
        digits &= digits - 1;
    }
    keep
}

/// Unknown operation: what either of sum and product allows.
fn bound_either(domains: &mut Domains<'_>, cells: &[u16], target: u64, distinct: bool) -> Result<(), Halt> {
    let sum = i64::try_from(target).unwrap_or(i64::MAX);
    let (low, high) = sum_ends(domains, cells, 0);
    let is_sum = low <= sum && sum <= high;
    let product = open_product(domains, cells, target);
    if !is_sum {
        return bound_product(domains, cells, target);
    }
    let Some(product) = product else { return bound_sum(domains, cells, sum, 0, distinct) };
    for &cell in cells {
        let digits = domains.of(cell);
        if digits & (digits - 1) != 0 {
            let keep = sum_window(digits, false, sum, (low, high)) | product_window(digits, product);
            domains.keep(cell, keep)?;
        }
    }
    Ok(())
}

/// Tries every way to fill the open cells, if there are few, and keeps what any of them holds.
fn try_few(domains: &mut Domains<'_>, cells: &[u16], rule: Rule, distinct: bool) -> Result<u64, Halt> {
    let Some(open) = Open::of(domains, cells, rule) else { return Ok(0) };
    let slots = slots_of(domains, &open.cells[..open.count], distinct);
    if open.count == 0 || !slots.has_at_most(FEW_WAYS) {
        return Ok(0);
    }
    let mut support = [0u32; MAX_CELLS];
    let mut work = 0;
    for rule in open.rules(rule).into_iter().flatten() {
        let mut allowance = u32::MAX;
        fill(&slots, rule, &mut allowance, &mut |chosen| {
            chosen.iter().zip(&mut support).for_each(|(digit, support)| *support |= digit);
            true
        });
        work += u64::from(u32::MAX - allowance) / 8;
    }
    for (at, &cell) in open.cells[..open.count].iter().enumerate() {
        domains.keep(cell, support[at])?;
    }
    Ok(work)
}

/// The open cells of a relation, and what they have to give.
struct Open {
    cells: [u16; MAX_CELLS],
    count: usize,
    minus: u32,
    sum: i64,
    /// None if the placed digits do not divide the target.
    product: Option<u64>,
}

impl Open {
    /// Nothing if there are too many of them.
    fn of(domains: &Domains<'_>, cells: &[u16], rule: Rule) -> Option<Open> {
        let (sum, minus, product) = match rule {
            Rule::Sum { target, minus } => (target, minus, None),
            Rule::Product(target) => (0, 0, Some(target)),
            Rule::SumOrProduct(target) => (i64::try_from(target).unwrap_or(i64::MAX), 0, Some(target)),
            Rule::Pair(..) | Rule::Any => return None,
        };
        let mut open = Open { cells: [0; MAX_CELLS], count: 0, minus: 0, sum, product };
        for (at, &cell) in cells.iter().enumerate() {
            let digits = domains.of(cell);
            if digits & (digits - 1) == 0 {
                let value = i64::from(digits.trailing_zeros()) + 1;
                open.sum -= if is_minus(minus, at) { -value } else { value };
                open.product = open
                    .product
                    .filter(|left| left.is_multiple_of(value as u64))
                    .map(|left| left / value as u64);
                continue;
            }
            if open.count == MAX_CELLS {
                return None;
            }
            open.minus |= u32::from(is_minus(minus, at)) << open.count;
            open.cells[open.count] = cell;
            open.count += 1;
        }
        Some(open)
    }

    fn rules(&self, whole: Rule) -> [Option<Rule>; 2] {
        let sum = Rule::Sum { target: self.sum, minus: self.minus };
        [(!matches!(whole, Rule::Product(_))).then_some(sum), self.product.map(Rule::Product)]
    }
}
