//! Waiting until somebody ends the server.

use std::io;

use crate::{Notice, Server};

impl Server {
    /// Listens for the signals to stop (Ctrl-C, or SIGTERM) and to look again (SIGHUP), from now on: without somebody who
    /// listens, they end the process. So this comes before anybody is told that the server is there.
    pub fn obey_signals(self) -> io::Result<Obedient> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let signals = {
            let _inside = runtime.enter();
            Signals::listen()?
        };
        Ok(Obedient {
            server: self,
            runtime,
            signals,
        })
    }
}

/// A server that does what signals say.
pub struct Obedient {
    server: Server,
    runtime: tokio::runtime::Runtime,
    signals: Signals,
}

impl Obedient {
    /// Waits for the signal to stop, and obeys SIGHUP meanwhile: certificates are read again, and a new publication is
    /// looked for at once.
    ///
    /// Then the server [stops](Server::stop). Another signal ends the process at once.
    pub fn run(self, tell: &dyn Fn(Notice)) -> io::Result<bool> {
        let Self {
            server,
            runtime,
            mut signals,
        } = self;
        while let Signal::Reload = runtime.block_on(signals.next())? {
            if let Err(error) = server.reload() {
                tell(Notice::Warning(error.to_string()));
            }
        }
        let impatient = std::thread::Builder::new().name("signals".to_owned());
        impatient.spawn(move || {
            runtime.block_on(async {
                while let Ok(Signal::Reload) = signals.next().await {}
                std::process::exit(1);
            });
        })?;
        Ok(server.stop())
    }
}

enum Signal {
    Stop,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such signal"))]
    Reload,
}

/// All signals that are obeyed. They are listened for from beginning to end: one that comes while another is obeyed
/// waits here.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> io::Result<Signal> {
        Ok(tokio::select! {
            _ = self.interrupt.recv() => Signal::Stop,
            _ = self.terminate.recv() => Signal::Stop,
            _ = self.hangup.recv() => Signal::Reload,
        })
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> io::Result<Signal> {
        tokio::signal::ctrl_c().await?;
        Ok(Signal::Stop)
    }
}
