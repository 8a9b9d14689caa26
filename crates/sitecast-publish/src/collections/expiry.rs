//! Expired collections.

use sitecast_scp::Timestamp;

use super::chain::{Chain, Link};

/// Removes expired collections from the chains and returns them. The newest snapshot of a section and the deltas after
/// it stay, whatever their age; retired sections that are empty then go.
pub(crate) fn expire(
    chains: &mut [Chain],
    retired: &mut Vec<(String, Chain)>,
    now: Timestamp,
) -> Vec<Link> {
    let mut expired = Vec::new();
    let mut sort_out = |chain: &mut Chain, keep_from: Option<Timestamp>| {
        for link in std::mem::take(&mut chain.links) {
            let is_present = keep_from.is_some_and(|from| link.generated >= from);
            if link.expires <= now && !is_present {
                expired.push(link);
            } else {
                chain.links.push(link);
            }
        }
    };
    for chain in chains {
        let from = chain.snapshot().map(|link| link.generated);
        sort_out(chain, from);
    }
    for (_, chain) in retired.iter_mut() {
        sort_out(chain, None);
    }
    retired.retain(|(_, chain)| !chain.links.is_empty());
    expired
}
