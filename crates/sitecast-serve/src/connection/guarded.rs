//! A connection that does not wait for ever.
//!
//! What a client can do to hold a connection without using it: say nothing; send its request a
//! byte at a time; take none of what it asked for. All three are seen here, by looking four times
//! within each limit whether anything has happened; no timer is set for a single request.
//!
//! With HTTP/2 a client can also have the server write without taking anything: each PING is
//! answered by one of the same length. So only what is written beyond what came counts as taken, or
//! that there was another request: a 304 is shorter than the question, once both are compressed.
//!
//! And it can send what is no request and has to be worked on all the same: PING, SETTINGS, PRIORITY and the like. What comes
//! between two requests is bounded in bytes, with some more for what is sent to a client, which has to say that it takes
//! it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::observe::Activity;
use crate::options::Limits;

/// How often to look within a limit.
const LOOKS: u32 = 4;

pub(crate) struct Guarded<S> {
    stream: S,
    /// What has been read already, and is to be read again.
    replayed: Bytes,
    activity: Arc<Activity>,
    timer: Pin<Box<Sleep>>,
    every: Duration,
    idle: Duration,
    stalled: Duration,
    /// Requests so far, when it was last looked at.
    requests: u64,
    /// Bytes written and read so far, and when it was last looked at.
    written: u64,
    written_then: u64,
    read: u64,
    read_then: u64,
    /// Requests so far when bytes last came, and bytes read and written until then.
    asked: u64,
    read_when_asked: u64,
    written_when_asked: u64,
    /// Bytes that may come between two requests.
    unasked: u64,
    /// While what still comes is read and thrown away, so that the last answer is not lost.
    lingering: Option<Lingering>,
    /// Since when nothing has happened.
    silent_since: Instant,
    stalled_since: Instant,
}

impl<S> Guarded<S> {
    pub(crate) fn new(stream: S, activity: Arc<Activity>, limits: &Limits) -> Self {
        let every = limits.idle.min(limits.stalled) / LOOKS;
        let every = every.max(Duration::from_millis(10));
        let now = Instant::now();
        Self {
            stream,
            replayed: Bytes::new(),
            activity,
            timer: Box::pin(tokio::time::sleep(every)),
            every,
            idle: limits.idle,
            stalled: limits.stalled,
            requests: 0,
            written: 0,
            written_then: 0,
            read: 0,
            read_then: 0,
            asked: 0,
            read_when_asked: 0,
            written_when_asked: 0,
            unasked: UNASKED + limits.header_bytes as u64,
            lingering: None,
            silent_since: now,
            stalled_since: now,
        }
    }

    /// Has bytes read again that were read before.
    pub(crate) fn replay(&mut self, bytes: Vec<u8>) {
        self.replayed = bytes.into();
    }

    /// Called where there is nothing to do but wait: whether that has lasted too long.
    fn has_waited_too_long(&mut self, context: &mut Context<'_>) -> bool {
        while self.timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            self.timer.as_mut().reset(now + self.every);
            let requests = self.activity.requests.load(Ordering::Relaxed);
            if self.activity.under_way.load(Ordering::Relaxed) > 0 {
                // An answer is being sent, or made.
                self.silent_since = now;
                let taken = self.written - self.written_then > self.read - self.read_then;
                if taken || requests != self.requests {
                    self.stalled_since = now;
                }
                if now.duration_since(self.stalled_since) >= self.stalled {
                    return true;
                }
            } else {
                self.stalled_since = now;
                if requests != self.requests {
                    self.silent_since = now;
                }
                if now.duration_since(self.silent_since) >= self.idle {
                    return true;
                }
            }
            self.requests = requests;
            (self.written_then, self.read_then) = (self.written, self.read);
        }
        false
    }
}

/// Bytes that may come between two requests, beside the headers of one. A PING has 17.
const UNASKED: u64 = 64 << 10;
/// One more may come for so many bytes that are sent: to allow the next 16 KiB of a download takes 13 or 26.
const SENT_PER_UNASKED: u64 = 64;

impl<S> Guarded<S> {
    /// Counts bytes that have come: `false` if they are too many since the last request.
    fn came(&mut self, bytes: usize) -> bool {
        self.read += bytes as u64;
        let requests = self.activity.requests.load(Ordering::Relaxed);
        if requests != self.asked {
            self.asked = requests;
            (self.read_when_asked, self.written_when_asked) = (self.read, self.written);
        }
        let sent = self.written - self.written_when_asked;
        self.read - self.read_when_asked <= self.unasked + sent / SENT_PER_UNASKED
    }
}

/// How long, and how much, is still read of who has got the last answer.
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 1 << 20;

struct Lingering {
    until: Pin<Box<Sleep>>,
    bytes: usize,
}

fn too_long<T>() -> Poll<io::Result<T>> {
    Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.replayed.is_empty() {
            let length = self.replayed.len().min(buffer.remaining());
            buffer.put_slice(&self.replayed.split_to(length));
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending if self.has_waited_too_long(context) => too_long(),
            other => {
                let came = buffer.filled().len().saturating_sub(before);
                match self.came(came) {
                    true => other,
                    false => Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(result, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // An answer without a body is one piece, for which the system has a shorter way.
        let result = match bytes {
            [one] => Pin::new(&mut self.stream).poll_write(context, one),
            _ => Pin::new(&mut self.stream).poll_write_vectored(context, bytes),
        };
        self.wrote(result, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Pending if self.has_waited_too_long(context) => too_long(),
            other => other,
        }
    }

    /// Says that there is no more to come, and waits a moment for the client to be done as well: to close
    /// while it still sends would take the last answer away from it.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            match Pin::new(&mut this.stream).poll_shutdown(context) {
                Poll::Ready(Ok(())) => {}
                Poll::Pending if this.has_waited_too_long(context) => return too_long(),
                other => return other,
            }
        }
        let lingering = this.lingering.get_or_insert_with(|| Lingering {
            until: Box::pin(tokio::time::sleep(LINGER)),
            bytes: 0,
        });
        let mut space = [0; 4096];
        while lingering.bytes < LINGER_BYTES && lingering.until.as_mut().poll(context).is_pending()
        {
            let mut buffer = ReadBuf::new(&mut space);
            match Pin::new(&mut this.stream).poll_read(context, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    lingering.bytes += buffer.filled().len();
                }
                Poll::Ready(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S> Guarded<S> {
    fn wrote(
        &mut self,
        result: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match &result {
            Poll::Ready(Ok(bytes)) => self.written += *bytes as u64,
            Poll::Pending if self.has_waited_too_long(context) => return too_long(),
            _ => {}
        }
        result
    }
}
