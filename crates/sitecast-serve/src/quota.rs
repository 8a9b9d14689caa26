//! Bounds on what is held at the same time, by all clients together and by one of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::rate::network;

/// A number of places, of which one client may have a share.
#[derive(Debug)]
pub(crate) struct Quota {
    most: usize,
    /// 0: as many as there are.
    most_per_client: usize,
    taken: AtomicUsize,
    /// Clients that have a place; so there are never more of them than places.
    clients: Mutex<HashMap<IpAddr, usize>>,
}

impl Quota {
    pub(crate) fn new(most: usize, most_per_client: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            most_per_client,
            taken: AtomicUsize::new(0),
            clients: Mutex::default(),
        })
    }

    /// Takes a place until it is dropped; `None` if all are taken, or all that the client may have. Who is no client of
    /// its own, such as a proxy, is not limited by address.
    pub(crate) fn enter(self: &Arc<Self>, client: Option<IpAddr>) -> Option<Place> {
        if self.taken.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.taken.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let mut place = Place {
            quota: Arc::clone(self),
            client: None,
        };
        if let Some(client) = client.filter(|_| self.most_per_client > 0) {
            let client = network(client);
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let taken = clients.entry(client).or_default();
            if *taken >= self.most_per_client {
                return None;
            }
            *taken += 1;
            place.client = Some(client);
        }
        Some(place)
    }
}

/// A place that is taken.
#[derive(Debug)]
pub(crate) struct Place {
    quota: Arc<Quota>,
    client: Option<IpAddr>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.quota.taken.fetch_sub(1, Ordering::Relaxed);
        let Some(client) = self.client else { return };
        let clients = self.quota.clients.lock();
        let mut clients = clients.unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = clients.get_mut(&client) {
            *taken -= 1;
            if *taken == 0 {
                clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_all_clients_and_each_of_them() {
        let quota = Quota::new(4, 2);
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        let first = quota.enter(Some(one)).unwrap();
        let _second = quota.enter(Some(one)).unwrap();
        assert!(quota.enter(Some(one)).is_none());
        let _third = quota.enter(Some(other)).unwrap();
        let proxied = quota.enter(None).unwrap();
        assert!(quota.enter(Some(other)).is_none() && quota.enter(None).is_none());
        drop(first);
        let _again = quota.enter(Some(one)).unwrap();
        drop(proxied);
        let _last = quota.enter(None).unwrap();
        assert_eq!(quota.taken.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn forgets_clients_that_hold_nothing() {
        let quota = Quota::new(10, 2);
        for number in 0..100_u32 {
            assert!(quota.enter(Some(IpAddr::V4(number.into()))).is_some());
        }
        assert!(quota.clients.lock().unwrap().is_empty());
    }
}
