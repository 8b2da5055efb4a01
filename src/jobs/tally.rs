//! How many jobs each client has waiting, and where: for its quota, for taking turns, and for telling a job its place.

use std::collections::HashMap;

use super::job::{ClientId, Priority};
use crate::store::Backlog;

/// Where a job waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// In this process, claimed or about to be.
    Here(Priority),
    /// In the store, for a claim.
    Stored(Priority),
    /// In the store, for its time.
    Scheduled,
}

/// How many wait where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub here: [u64; 3],
    pub stored: [u64; 3],
    pub scheduled: u64,
}

impl Counts {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.here.iter().sum::<u64>() + self.stored.iter().sum::<u64>() + self.scheduled
    }

    /// Whether some of a priority wait in the store and none here.
    fn is_absent(&self, lane: usize) -> bool {
        self.stored[lane] > 0 && self.here[lane] == 0
    }

    fn at(&mut self, spot: Spot) -> &mut u64 {
        match spot {
            Spot::Here(priority) => &mut self.here[priority.index()],
            Spot::Stored(priority) => &mut self.stored[priority.index()],
            Spot::Scheduled => &mut self.scheduled,
        }
    }
}

/// The books of all clients. A client without waiting jobs has no page in them.
#[derive(Debug, Default)]
pub struct Tallies {
    clients: HashMap<ClientId, Counts>,
    all: Counts,
    /// Of each priority, clients that have jobs in the store.
    storing: [u64; 3],
    /// Those of them that have none here.
    absent: [u64; 3],
}

impl Tallies {
    /// Of one client.
    pub fn of(&self, client: &ClientId) -> Counts {
        self.clients.get(client).copied().unwrap_or_default()
    }

    /// Of all.
    pub fn all(&self) -> &Counts {
        &self.all
    }

    /// How many clients have jobs of a priority in the store.
    pub fn storing(&self, lane: usize) -> u64 {
        self.storing[lane]
    }

    /// How many of those have none here.
    pub fn absent(&self, lane: usize) -> u64 {
        self.absent[lane]
    }

    /// Whether a client is one of them.
    pub fn is_absent(&self, client: &ClientId, lane: usize) -> bool {
        self.clients.get(client).is_some_and(|counts| counts.is_absent(lane))
    }

    /// One more waits.
    pub fn add(&mut self, client: &ClientId, spot: Spot) {
        self.change(client, spot, 1);
    }

    /// One waits no more. In a shared store the counts are what was known last, and may be less.
    pub fn remove(&mut self, client: &ClientId, spot: Spot) {
        self.change(client, spot, -1);
    }

    fn change(&mut self, client: &ClientId, spot: Spot, by: i64) {
        if !self.clients.contains_key(client) {
            if by < 0 {
                return;
            }
            self.clients.insert(client.clone(), Counts::default());
        }
        let Some(counts) = self.clients.get_mut(client) else { return };
        let before = *counts;
        *counts.at(spot) = counts.at(spot).saturating_add_signed(by);
        let after = *counts;
        if after.all() == 0 {
            self.clients.remove(client);
        }
        self.enter(before, after);
    }

    /// Brings the sums up to date.
    fn enter(&mut self, before: Counts, after: Counts) {
        let sum = |all: &mut u64, before: u64, after: u64| *all = *all + after - before;
        for lane in 0..3 {
            sum(&mut self.all.here[lane], before.here[lane], after.here[lane]);
            sum(&mut self.all.stored[lane], before.stored[lane], after.stored[lane]);
            sum(&mut self.storing[lane], (before.stored[lane] > 0).into(), (after.stored[lane] > 0).into());
            sum(&mut self.absent[lane], before.is_absent(lane).into(), after.is_absent(lane).into());
        }
        sum(&mut self.all.scheduled, before.scheduled, after.scheduled);
    }

    /// What waits in the store is this.
    pub fn set_backlog(&mut self, backlog: &Backlog) {
        self.rewrite(|counts| (counts.stored, counts.scheduled) = ([0; 3], 0));
        for (client, waiting) in &backlog.clients {
            let before = self.of(client);
            let after = Counts { stored: waiting.ready, scheduled: waiting.scheduled, ..before };
            if after.all() > 0 {
                self.clients.insert(client.clone(), after);
                self.enter(before, after);
            }
        }
    }

    /// Nothing of a priority waits in the store.
    pub fn clear_stored(&mut self, lane: usize) {
        if self.all.stored[lane] > 0 {
            self.rewrite(|counts| counts.stored[lane] = 0);
        }
    }

    /// Nothing waits here.
    pub fn clear_here(&mut self) {
        self.rewrite(|counts| counts.here = [0; 3]);
    }

    fn rewrite(&mut self, change: impl Fn(&mut Counts)) {
        let mut clients = std::mem::take(&mut self.clients);
        clients.retain(|_, counts| {
            let before = *counts;
            change(counts);
            self.enter(before, *counts);
            counts.all() > 0
        });
        self.clients = clients;
    }

    /// Of a priority, how many jobs each client has in the store.
    pub fn crowd(&self, lane: usize) -> Crowd {
        Crowd::new(
            self.clients.values().map(|counts| counts.stored[lane]).filter(|&count| count > 0).collect(),
        )
    }
}

/// How many jobs each of many clients has, to see how many of them are served in so many rounds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Crowd {
    /// Rising.
    counts: Vec<u64>,
    /// The sum of the first so many.
    sums: Vec<u64>,
}

impl Crowd {
    fn new(mut counts: Vec<u64>) -> Crowd {
        counts.sort_unstable();
        let mut sums = vec![0];
        counts.iter().for_each(|count| sums.push(sums[sums.len() - 1] + count));
        Crowd { counts, sums }
    }

    /// How many are served while each client is served so often, or until it has no more.
    pub fn within(&self, rounds: u64) -> u64 {
        let short = self.counts.partition_point(|&count| count <= rounds);
        self.sums[short] + rounds * (self.counts.len() - short) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ClientBacklog;

    fn client(name: &str) -> ClientId {
        ClientId(name.into())
    }

    #[test]
    fn the_books_agree_with_their_pages() {
        let mut tallies = Tallies::default();
        let (a, b) = (client("a"), client("b"));
        let (here, stored) = (Spot::Here(Priority::Bulk), Spot::Stored(Priority::Bulk));
        for spot in [stored, stored, here, Spot::Scheduled] {
            tallies.add(&a, spot);
        }
        tallies.add(&b, stored);
        assert_eq!((tallies.of(&a).all(), tallies.all().all()), (4, 5));
        assert_eq!((tallies.storing(2), tallies.absent(2)), (2, 1));
        tallies.remove(&a, here);
        assert!(tallies.is_absent(&a, 2) && tallies.absent(2) == 2);
        // more than is known of may go
        (0..3).for_each(|_| tallies.remove(&b, stored));
        assert_eq!((tallies.of(&b), tallies.storing(2)), (Counts::default(), 1));
        let waiting = ClientBacklog { ready: [7, 0, 0], scheduled: 1 };
        tallies.set_backlog(&Backlog { clients: [(b.clone(), waiting)].into(), suspects: 0 });
        assert_eq!((tallies.of(&a).all(), tallies.of(&b).all(), tallies.all().all()), (0, 8, 8));
        tallies.add(&b, here);
        tallies.clear_stored(0);
        tallies.clear_here();
        assert_eq!(*tallies.all(), Counts { scheduled: 1, ..Counts::default() });
        assert_eq!((tallies.storing(0), tallies.absent(0)), (0, 0));
    }

    #[test]
    fn rounds_serve_each_client_once() {
        let crowd = Crowd::new(vec![5, 1, 3]);
        assert_eq!([0, 1, 2, 3, 4, 9].map(|rounds| crowd.within(rounds)), [0, 3, 5, 7, 8, 9]);
        assert_eq!(Crowd::new(vec![]).within(9), 0);
    }
}
