//! Replies that have to wait for a disk, a network or a publication, without a cost for those that need not.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Response;
use hyper::http::request::Parts as RequestParts;

use super::{Answerer, private};
use crate::http::body::ResponseBody;
use crate::protection::ProtectedParts;
use crate::reply::Reply;
use crate::site::Site;
use crate::site::prepared::PreparedResponse;

/// The reason for waiting.
pub(super) enum Wait {
    /// A variant that has to be compressed first.
    Document(Arc<PreparedResponse>, ProtectedParts),
    MachinePage,
    /// A machine page that no sitemap names, perhaps of a publication that is being written.
    UnlistedMachinePage,
    Collection,
    File,
}

/// A request that has to wait.
pub(super) struct Pending {
    pub(super) site: Arc<Site>,
    /// The requested path, relative to the base.
    pub(super) path: String,
    /// The prefixes that cover the path.
    pub(super) parts: ProtectedParts,
    pub(super) wait: Wait,
}

impl Answerer {
    pub(super) async fn finish_pending(&self, pending: Pending, request: &RequestParts) -> Reply {
        let Pending { site, path, .. } = &pending;
        let reply = match &pending.wait {
            Wait::Document(response, parts) => {
                let reply = self.respond(response, request).await;
                match parts.is_empty() {
                    true => reply,
                    false => private(reply),
                }
            }
            Wait::MachinePage => self.machine_page(site, path, request).await,
            Wait::UnlistedMachinePage => self.unlisted_machine_page(site, path, request).await,
            Wait::Collection => self.collection(site, path, request).await,
            Wait::File => self.file(site, path, request).await,
        };
        self.finalize(pending.parts, reply)
    }
}

/// The future of a response. Only responses that wait are boxed: their state is large, and would otherwise be moved for
/// each request.
pub(crate) enum AnswerFuture {
    Now(Option<Response<ResponseBody>>),
    Later(Pin<Box<dyn Future<Output = Response<ResponseBody>> + Send>>),
}

impl AnswerFuture {
    pub(super) fn now(response: Response<ResponseBody>) -> Self {
        Self::Now(Some(response))
    }

    pub(super) fn later(
        response: impl Future<Output = Response<ResponseBody>> + Send + 'static,
    ) -> Self {
        Self::Later(Box::pin(response))
    }
}

impl Future for AnswerFuture {
    type Output = Result<Response<ResponseBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(response) => match response.take() {
                Some(response) => Poll::Ready(Ok(response)),
                // A future must not be polled after it is ready.
                None => Poll::Pending,
            },
            Self::Later(future) => future.as_mut().poll(context).map(Ok),
        }
    }
}
