//! Pages of lists.

use crate::puzzle::{Fault, Faults};
use crate::store::Page;

/// The page that was asked for, or none and a fault.
pub fn read_page(size: i32, token: &str, faults: &mut Faults) -> Option<Page> {
    let size = read_size(size, faults)?;
    Some(Page { size, token: Some(token.to_owned()).filter(|token| !token.is_empty()) })
}

/// A page of a list that is all in memory and never changes: the token is where it begins. Size 0 means all.
pub fn slice<'a, T>(all: &'a [T], size: i32, token: &str, faults: &mut Faults) -> Option<(&'a [T], String)> {
    let size = read_size(size, faults).map(|size| size as usize);
    let start =
        if token.is_empty() { Some(0) } else { token.parse().ok().filter(|start| *start < all.len()) };
    let Some(start) = start else {
        faults.push(Fault::new("page_token", "the page token does not belong to this list"));
        return None;
    };
    let size = match size? {
        0 => all.len(),
        size => size.min(Page::MAX as usize),
    };
    let end = all.len().min(start.saturating_add(size));
    let next = if end < all.len() { end.to_string() } else { String::new() };
    Some((&all[start..end], next))
}

fn read_size(size: i32, faults: &mut Faults) -> Option<u32> {
    let read = u32::try_from(size).ok();
    if read.is_none() {
        faults.push(Fault::new("page_size", format!("{size} is negative")));
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices() {
        let all = [1, 2, 3, 4, 5];
        let mut faults = Faults::none();
        assert_eq!(slice(&all, 2, "", &mut faults), Some((&all[..2], "2".to_owned())));
        assert_eq!(slice(&all, 2, "4", &mut faults), Some((&all[4..], String::new())));
        assert_eq!(slice(&all, 0, "", &mut faults), Some((&all[..], String::new())));
        assert!(faults.is_empty());
        assert_eq!(slice(&all, -1, "5", &mut faults), None);
        assert_eq!(faults.list.len(), 2);
    }
}
