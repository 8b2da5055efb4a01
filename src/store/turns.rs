//! Who goes first among the jobs of a priority. Claims go by a job's turn, then by its number. The turns of one
//! client's waiting jobs follow one another; a client that has none waiting begins at the turn at which the first of
//! all stands. So clients are served one after the other, each in its own order, however many jobs one has; a client
//! that comes late is not made to wait for those that wait already, nor served ahead for the time it was away.
//!
//! Nothing is kept for it but the turns themselves: the last of a client and the first of all are at the ends of two
//! indexes. Where several processes store jobs at a time two may get the same turn, and then their numbers decide.

use std::collections::BTreeMap;

use super::row::{ClientId, Priority};

/// Where the next turns of some clients begin.
#[derive(Debug, Default)]
pub struct Turns(BTreeMap<(ClientId, Priority), i64>);

impl Turns {
    /// A client, by the last turn of its waiting jobs and the first of all that wait at this priority.
    pub fn insert(&mut self, client: ClientId, priority: Priority, last: Option<i64>, front: Option<i64>) {
        let next = last.map_or(0, |last| last + 1).max(front.unwrap_or(0));
        self.0.insert((client, priority), next);
    }

    /// The next turn of a client.
    pub fn take(&mut self, client: &ClientId, priority: Priority) -> i64 {
        let next = self.0.entry((client.clone(), priority)).or_default();
        *next += 1;
        *next - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_rise_and_begin_where_the_first_stands() {
        let (busy, new) = (ClientId("busy".into()), ClientId("new".into()));
        let mut turns = Turns::default();
        turns.insert(busy.clone(), Priority::Bulk, Some(90), Some(7));
        turns.insert(new.clone(), Priority::Bulk, None, Some(7));
        turns.insert(new.clone(), Priority::Normal, None, None);
        assert_eq!([turns.take(&busy, Priority::Bulk), turns.take(&busy, Priority::Bulk)], [91, 92]);
        assert_eq!([turns.take(&new, Priority::Bulk), turns.take(&new, Priority::Bulk)], [7, 8]);
        assert_eq!(turns.take(&new, Priority::Normal), 0);
    }
}
