//! Lists come in pages. A page token is opaque, and good for the list it came from alone.

use std::hash::{Hash, Hasher};

/// Which page of a list is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    /// How many items at most; 0 for as many as is usual. At most [`Page::MAX`] are given.
    pub size: u32,
    /// The token of the page before; none for the first page.
    pub token: Option<String>,
}

/// A page of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paged<T> {
    /// The items.
    pub items: Vec<T>,
    /// The token of the next page; none if this is the last.
    pub next: Option<String>,
}

/// A page token that is none, or comes from a list under another filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the page token does not belong to this list")]
pub struct TokenError;

impl Page {
    /// The most items on a page.
    pub const MAX: u32 = 1_000;
    /// How many items are on a page unless said otherwise.
    pub const USUAL: u32 = 50;

    /// How many items are wanted, within bounds.
    pub fn limit(&self) -> u32 {
        if self.size == 0 { Self::USUAL } else { self.size.min(Self::MAX) }
    }

    /// The identity after which the page begins, in a list under this filter.
    pub fn after(&self, filter: &impl Hash) -> Result<Option<i64>, TokenError> {
        let Some(token) = &self.token else { return Ok(None) };
        let (last, mark) = token.split_once('-').ok_or(TokenError)?;
        let last = i64::from_str_radix(last, 16).map_err(|_| TokenError)?;
        if *token == write_token(last, filter) && mark.len() == 16 { Ok(Some(last)) } else { Err(TokenError) }
    }
}

impl<T> Paged<T> {
    /// A page from its items and one more, which says that another page follows.
    pub(crate) fn cut(mut items: Vec<T>, limit: u32, filter: &impl Hash, id: impl Fn(&T) -> i64) -> Paged<T> {
        let is_last = items.len() <= limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| !is_last).map(|last| write_token(id(last), filter));
        Paged { items, next }
    }

    /// The same page of other things, or the first fault.
    pub fn try_map<U, E>(self, change: impl Fn(T) -> Result<U, E>) -> Result<Paged<U>, E> {
        let items = self.items.into_iter().map(change).collect::<Result<_, _>>()?;
        Ok(Paged { items, next: self.next })
    }
}

/// The last identity on the page and a mark of the filter.
fn write_token(last: i64, filter: &impl Hash) -> String {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    filter.hash(&mut hasher);
    last.hash(&mut hasher);
    format!("{last:x}-{:016x}", hasher.finish())
}

/// FNV-1a: the same in every process and version, which the standard library's hasher does not promise.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_belongs_to_its_filter() {
        let paged = Paged::cut(vec![9, 7, 5], 2, &"mine", |&id| id);
        assert_eq!(paged.items, [9, 7]);
        let page = Page { size: 2, token: paged.next };
        assert_eq!(page.after(&"mine"), Ok(Some(7)));
        assert_eq!(page.after(&"yours"), Err(TokenError));
        for token in ["", "-", "7", "7-", "g-0000000000000000", "7-0000000000000000"] {
            assert_eq!(
                Page { size: 2, token: Some(token.into()) }.after(&"mine"),
                Err(TokenError),
                "{token}"
            );
        }
    }

    #[test]
    fn the_last_page_has_no_token() {
        assert_eq!(Paged::cut(vec![3, 2], 2, &(), |&id| id), Paged { items: vec![3, 2], next: None });
        assert_eq!(Paged::<i64>::cut(vec![], 2, &(), |&id| id).next, None);
    }
}
