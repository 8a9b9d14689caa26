//! Limits on concurrent use of a resource, in all and for each client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::rate::client_network;

/// A counting semaphore with a limit for each client. It never waits.
#[derive(Debug)]
pub(crate) struct Quota {
    limit: usize,
    /// 0 means no limit per client.
    limit_per_client: usize,
    used: AtomicUsize,
    /// Permits by client. Entries are removed at zero, so there are never more entries than permits.
    clients: Mutex<HashMap<IpAddr, usize>>,
}

impl Quota {
    pub(crate) fn new(limit: usize, limit_per_client: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            limit_per_client,
            used: AtomicUsize::new(0),
            clients: Mutex::default(),
        })
    }

    /// Acquires a permit, which is released when dropped; `None` if a limit is reached. `client` is `None` for peers
    /// that are not clients themselves, such as proxies; the limit per client does not apply to them.
    pub(crate) fn acquire(self: &Arc<Self>, client: Option<IpAddr>) -> Option<Permit> {
        if self.used.fetch_add(1, Ordering::Relaxed) >= self.limit {
            self.used.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let mut permit = Permit {
            quota: Arc::clone(self),
            client: None,
        };
        if let Some(client) = client.filter(|_| self.limit_per_client > 0) {
            let client = client_network(client);
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let used = clients.entry(client).or_default();
            if *used >= self.limit_per_client {
                return None;
            }
            *used += 1;
            permit.client = Some(client);
        }
        Some(permit)
    }
}

/// A permit of a [`Quota`].
#[derive(Debug)]
pub(crate) struct Permit {
    quota: Arc<Quota>,
    client: Option<IpAddr>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.quota.used.fetch_sub(1, Ordering::Relaxed);
        let Some(client) = self.client else { return };
        let clients = self.quota.clients.lock();
        let mut clients = clients.unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = clients.get_mut(&client) {
            *used -= 1;
            if *used == 0 {
                clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_all_clients_and_each_client() {
        let quota = Quota::new(4, 2);
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        let first = quota.acquire(Some(one)).unwrap();
        let _second = quota.acquire(Some(one)).unwrap();
        assert!(quota.acquire(Some(one)).is_none());
        let _third = quota.acquire(Some(other)).unwrap();
        let proxied = quota.acquire(None).unwrap();
        assert!(quota.acquire(Some(other)).is_none() && quota.acquire(None).is_none());
        drop(first);
        let _again = quota.acquire(Some(one)).unwrap();
        drop(proxied);
        let _last = quota.acquire(None).unwrap();
        assert_eq!(quota.used.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn forgets_clients_without_permits() {
        let quota = Quota::new(10, 2);
        for number in 0..100_u32 {
            assert!(quota.acquire(Some(IpAddr::V4(number.into()))).is_some());
        }
        assert!(quota.clients.lock().unwrap().is_empty());
    }
}
