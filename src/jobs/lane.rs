//! Claimed jobs of one priority that wait in this process: clients take turns, each in its own order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::job::ClientId;
use super::live::Live;

/// The jobs of a priority. There are few of them, and so few clients.
#[derive(Debug, Default)]
pub struct Lane {
    /// Clients with jobs, the next to be served first.
    clients: VecDeque<(ClientId, VecDeque<Arc<Live>>)>,
    len: usize,
}

impl Lane {
    /// How many wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One more, behind those of its client. A client that has none comes last.
    pub fn push(&mut self, live: Arc<Live>) {
        self.len += 1;
        match self.clients.iter_mut().find(|(client, _)| *client == live.client) {
            Some((_, jobs)) => jobs.push_back(live),
            None => self.clients.push_back((live.client.clone(), [live].into())),
        }
    }

    /// The next one; its client is served again once all others have been.
    pub fn pop(&mut self) -> Option<Arc<Live>> {
        let (client, mut jobs) = self.clients.pop_front()?;
        let live = jobs.pop_front();
        if !jobs.is_empty() {
            self.clients.push_back((client, jobs));
        }
        self.len -= usize::from(live.is_some());
        live
    }

    /// What [`pop`](Self::pop) gives.
    pub fn peek(&self) -> Option<&Arc<Live>> {
        self.clients.front()?.1.front()
    }

    /// Takes one out. False if it is not here.
    pub fn remove(&mut self, live: &Arc<Live>) -> bool {
        let Some(seat) = self.clients.iter().position(|(client, _)| *client == live.client) else {
            return false;
        };
        let jobs = &mut self.clients[seat].1;
        let Some(place) = jobs.iter().position(|other| Arc::ptr_eq(other, live)) else { return false };
        jobs.remove(place);
        if jobs.is_empty() {
            self.clients.remove(seat);
        }
        self.len -= 1;
        true
    }

    /// Takes out what is more than so many: the last of whoever has most. A suspect stays, for it runs where it was
    /// claimed.
    pub fn cut(&mut self, most: usize) -> Vec<Arc<Live>> {
        let mut cut = Vec::new();
        while self.len > most {
            let last = |jobs: &VecDeque<Arc<Live>>| jobs.iter().rposition(|live| !live.suspect);
            let longest = self.clients.iter().filter(|(_, jobs)| last(jobs).is_some());
            let Some(live) = longest
                .max_by_key(|(_, jobs)| jobs.len())
                .and_then(|(_, jobs)| last(jobs).map(|place| jobs[place].clone()))
            else {
                break;
            };
            self.remove(&live);
            cut.push(live);
        }
        cut
    }

    /// How many are served before this one, if it is here.
    pub fn ahead_of(&self, live: &Arc<Live>) -> Option<u64> {
        let seat = self.clients.iter().position(|(client, _)| *client == live.client)?;
        let rounds = self.clients[seat].1.iter().position(|other| Arc::ptr_eq(other, live))?;
        let before = |(place, (_, jobs)): (usize, &(ClientId, VecDeque<Arc<Live>>))| {
            jobs.len().min(rounds + usize::from(place < seat)) as u64
        };
        Some(self.clients.iter().enumerate().map(before).sum())
    }

    /// All of them.
    pub fn into_jobs(self) -> impl Iterator<Item = Arc<Live>> {
        self.clients.into_iter().flat_map(|(_, jobs)| jobs)
    }
}
