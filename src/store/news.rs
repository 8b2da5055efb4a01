//! What processes that share a store tell one another. A bulletin wakes; it proves nothing: whoever hears of
//! something looks for itself, and looks now and then without having heard, since a word may be lost.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::row::JobId;

/// Jobs named in a bulletin, at most. Beyond that everything counts as new.
const MOST_NAMED: usize = 8_192;

/// What is new.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct News {
    /// Jobs wait in the store.
    pub work: bool,
    /// Jobs that somebody wants cancelled.
    pub cancels: BTreeSet<JobId>,
    /// Jobs whose trace or state has changed.
    pub changes: BTreeSet<JobId>,
    /// Something was missed: anything may be new.
    pub everything: bool,
}

impl News {
    /// Whether nothing is new.
    pub fn is_empty(&self) -> bool {
        *self == News::default()
    }

    /// Adds other news.
    pub fn add(&mut self, other: News) {
        self.work |= other.work;
        self.everything |= other.everything;
        self.cancels.extend(other.cancels);
        self.changes.extend(other.changes);
        if self.cancels.len() + self.changes.len() > MOST_NAMED {
            *self = News { work: true, everything: true, ..News::default() };
        }
    }

    /// As it travels: `w`, `*`, `k` and `n` with numbers in hexadecimal (so no letter is
    /// one of its digits), in parts of a bounded length.
    pub(super) fn write(&self, most: usize) -> Vec<String> {
        let mut parts = Vec::new();
        let mut part = String::new();
        for (flag, letter) in [(self.work, 'w'), (self.everything, '*')] {
            if flag {
                part.push(letter);
            }
        }
        for (ids, letter) in [(&self.cancels, 'k'), (&self.changes, 'n')] {
            for id in ids {
                let word = format!("{letter}{:x}", id.0);
                if part.len() + word.len() > most {
                    parts.push(std::mem::take(&mut part));
                }
                part.push_str(&word);
            }
        }
        parts.push(part);
        parts
    }

    /// The reverse of [`write`](Self::write). What a later version adds is everything.
    pub(super) fn read(text: &str) -> News {
        let mut news = News::default();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let length = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
            let id = i64::from_str_radix(&rest[..length], 16).map(JobId);
            match (letter, id) {
                ('w', _) => news.work = true,
                ('k', Ok(id)) => drop(news.cancels.insert(id)),
                ('n', Ok(id)) => drop(news.changes.insert(id)),
                _ => news.everything = true,
            }
            rest = &rest[length..];
        }
        news
    }
}

/// Where news wait until they are read. They are merged meanwhile, so that it is bounded.
#[derive(Debug, Default)]
pub struct Bulletin {
    news: Mutex<News>,
    bell: Notify,
}

impl Bulletin {
    fn lock(&self) -> MutexGuard<'_, News> {
        // nothing in here panics half-way
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something is new.
    pub fn post(&self, news: News) {
        if news.is_empty() {
            return;
        }
        self.lock().add(news);
        self.bell.notify_one();
    }

    /// What is new, or nothing.
    pub fn take(&self) -> News {
        std::mem::take(&mut *self.lock())
    }

    /// What is new; waits for it. One may wait at a time.
    pub async fn next(&self) -> News {
        loop {
            let news = self.take();
            if !news.is_empty() {
                return news;
            }
            self.bell.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_round_trip_in_parts() {
        let ids = |ids: &[i64]| ids.iter().map(|&id| JobId(id)).collect::<BTreeSet<_>>();
        let news = News {
            work: true,
            cancels: ids(&[1, 0xabc]),
            changes: ids(&[2, 0xfff, 0x1234_5678_9abc]),
            everything: false,
        };
        for most in [16, 20, 7_900] {
            let parts = news.write(most);
            assert!(parts.iter().all(|part| part.len() <= most), "{parts:?}");
            let mut read = News::default();
            parts.iter().for_each(|part| read.add(News::read(part)));
            assert_eq!(read, news);
        }
        assert_eq!(News::read(""), News::default());
        assert!(News::read("z12").everything && News::read("*").everything && News::read("n").everything);
    }

    #[test]
    fn too_many_names_are_everything() {
        let bulletin = Bulletin::default();
        for id in 0..=MOST_NAMED as i64 {
            bulletin.post(News { changes: [JobId(id)].into(), ..News::default() });
        }
        let news = bulletin.lock().clone();
        assert!(news.everything && news.work && news.changes.is_empty());
    }
}
