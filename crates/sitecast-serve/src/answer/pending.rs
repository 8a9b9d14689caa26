//! Answers that have to wait for a disk, a network or a publication; and how the others do without that.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Response;
use hyper::http::request::Parts as RequestParts;

use super::{Answerer, private};
use crate::http::body::Payload;
use crate::protection::Parts;
use crate::reply::Reply;
use crate::site::Site;
use crate::site::held::Held;

/// What has to be waited for.
pub(super) enum Wait {
    /// A compression that nobody has asked for before.
    Document(Arc<Held>, Parts),
    MachinePage,
    /// A machine page that no sitemap names, perhaps of a publication that is under way.
    Unnamed,
    Collection,
    File,
}

/// An answer that has to wait.
pub(super) struct Pending {
    pub(super) site: Arc<Site>,
    /// What is asked for, from the base on.
    pub(super) path: String,
    /// The protected parts that it belongs to.
    pub(super) parts: Parts,
    pub(super) wait: Wait,
}

impl Answerer {
    pub(super) async fn eventually(&self, pending: Pending, request: &RequestParts) -> Reply {
        let Pending { site, path, .. } = &pending;
        let reply = match &pending.wait {
            Wait::Document(held, parts) => {
                let reply = self.held(held, request).await;
                match parts.is_empty() {
                    true => reply,
                    false => private(reply),
                }
            }
            Wait::MachinePage => self.machine_page(site, path, request).await,
            Wait::Unnamed => self.unnamed(site, path, request).await,
            Wait::Collection => self.collection(site, path, request).await,
            Wait::File => self.file(site, path, request).await,
        };
        self.settled(pending.parts, reply)
    }
}

/// An answer, now or later. What is there now does not pay for what waiting takes: the state of all that may be waited for
/// is large, and would be moved about for each request.
pub(crate) enum Answering {
    Now(Option<Response<Payload>>),
    Later(Pin<Box<dyn Future<Output = Response<Payload>> + Send>>),
}

impl Answering {
    pub(super) fn now(response: Response<Payload>) -> Self {
        Self::Now(Some(response))
    }

    pub(super) fn later(
        response: impl Future<Output = Response<Payload>> + Send + 'static,
    ) -> Self {
        Self::Later(Box::pin(response))
    }
}

impl Future for Answering {
    type Output = Result<Response<Payload>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(response) => match response.take() {
                Some(response) => Poll::Ready(Ok(response)),
                // Nobody asks again after the answer.
                None => Poll::Pending,
            },
            Self::Later(future) => future.as_mut().poll(context).map(Ok),
        }
    }
}
