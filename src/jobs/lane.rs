//! Claimed jobs of one priority that wait in this process: clients take turns, each in its own order. Some are held
//! until those of their client that came before them have left the store.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::job::{ClientId, JobId};
use super::live::Live;

/// The jobs of a priority. There are few of them, and so few clients.
#[derive(Debug, Default)]
pub struct Lane {
    /// Clients with jobs, the next to be served first.
    clients: VecDeque<(ClientId, VecDeque<Arc<Live>>)>,
    /// Jobs in `clients`.
    len: usize,
    held: HashMap<ClientId, Held>,
    held_len: usize,
}

/// Jobs of a client that wait for others of it to leave the store.
#[derive(Debug, Default)]
struct Held {
    /// How many have left it since the first of these came.
    gone: u64,
    /// Each with how many are to be gone before it may be begun.
    jobs: VecDeque<(u64, Arc<Live>)>,
}

impl Lane {
    /// How many wait.
    pub fn len(&self) -> usize {
        self.len + self.held_len
    }

    /// Whether one may be begun.
    pub fn has_next(&self) -> bool {
        self.len > 0
    }

    /// Whether some wait for others to come from the store.
    pub fn has_held(&self) -> bool {
        self.held_len > 0
    }

    /// One more, behind those of its client. A client that has none comes last.
    pub fn push(&mut self, live: Arc<Live>) {
        self.len += 1;
        match self.clients.iter_mut().find(|(client, _)| *client == live.client) {
            Some((_, jobs)) => jobs.push_back(live),
            None => self.clients.push_back((live.client.clone(), [live].into())),
        }
    }

    /// One more, to be begun once those of its client that are in the store now, which are so many, have left it.
    pub fn hold(&mut self, live: Arc<Live>, stored: u64) {
        let held = self.held.entry(live.client.clone()).or_default();
        held.jobs.push_back((held.gone + stored, live));
        self.held_len += 1;
    }

    /// A job of this client has left the store, and so many are there still. Gives how many may be begun for that.
    pub fn note_gone(&mut self, client: &ClientId, stored: u64) -> usize {
        if let Some(held) = self.held.get_mut(client) {
            held.gone += 1;
        }
        self.release(client, stored)
    }

    /// A job of this client that was in the store is over. Those that came before it did not wait for it.
    pub fn note_over(&mut self, client: &ClientId, id: JobId) {
        let Some(held) = self.held.get_mut(client) else { return };
        // it is about to be counted as gone
        let before = held.jobs.iter_mut().filter(|(_, live)| live.birth().is_some_and(|birth| birth.id < id));
        before.for_each(|(turn, _)| *turn += 1);
    }

    /// The same of all clients, by how many each has in the store now.
    pub fn release_all(&mut self, stored: impl Fn(&ClientId) -> u64) -> usize {
        let clients: Vec<ClientId> = self.held.keys().cloned().collect();
        clients.iter().map(|client| self.release(client, stored(client))).sum()
    }

    fn release(&mut self, client: &ClientId, stored: u64) -> usize {
        let Some(mut held) = self.held.remove(client) else { return 0 };
        let mut released = 0;
        while held.jobs.front().is_some_and(|(turn, _)| stored == 0 || *turn <= held.gone)
            && let Some((_, live)) = held.jobs.pop_front()
        {
            self.push(live);
            released += 1;
        }
        if !held.jobs.is_empty() {
            self.held.insert(client.clone(), held);
        }
        self.held_len -= released;
        released
    }

    /// Whether this one waits for others to leave the store.
    pub fn holds(&self, live: &Arc<Live>) -> bool {
        self.held_at(live).is_some()
    }

    fn held_at(&self, live: &Arc<Live>) -> Option<usize> {
        self.held.get(&live.client)?.jobs.iter().position(|(_, other)| Arc::ptr_eq(other, live))
    }

    /// Takes a held one out.
    fn take_held(&mut self, client: &ClientId, place: usize) -> Option<Arc<Live>> {
        let held = self.held.get_mut(client)?;
        let (_, live) = held.jobs.remove(place)?;
        if held.jobs.is_empty() {
            self.held.remove(client);
        }
        self.held_len -= 1;
        Some(live)
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
        if let Some(place) = self.held_at(live) {
            return self.take_held(&live.client, place).is_some();
        }
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

    /// Takes out what is more than so many: what is held, and then the last of whoever has most. A suspect stays, for it
    /// runs where it was claimed.
    pub fn cut(&mut self, most: usize) -> Vec<Arc<Live>> {
        let mut cut = Vec::new();
        while self.len() > most {
            let held = self.held.iter().max_by_key(|(_, held)| held.jobs.len());
            let last = held.map(|(client, held)| (client.clone(), held.jobs.len() - 1));
            if let Some(live) = last.and_then(|(client, place)| self.take_held(&client, place)) {
                cut.push(live);
                continue;
            }
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

    /// How many of those that are here are served before this one, if it is here.
    pub fn ahead_of(&self, live: &Arc<Live>) -> Option<u64> {
        if let Some(place) = self.held_at(live) {
            return Some((self.len + place) as u64);
        }
        let seat = self.clients.iter().position(|(client, _)| *client == live.client)?;
        let rounds = self.clients[seat].1.iter().position(|other| Arc::ptr_eq(other, live))?;
        let before = |(place, (_, jobs)): (usize, &(ClientId, VecDeque<Arc<Live>>))| {
            jobs.len().min(rounds + usize::from(place < seat)) as u64
        };
        Some(self.clients.iter().enumerate().map(before).sum())
    }

    /// All of them.
    pub fn into_jobs(self) -> impl Iterator<Item = Arc<Live>> {
        let held = self.held.into_values().flat_map(|held| held.jobs).map(|(_, live)| live);
        self.clients.into_iter().flat_map(|(_, jobs)| jobs).chain(held)
    }
}
