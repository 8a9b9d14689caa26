//! Signals: stopping and reloading the server.

use std::io;

use crate::{Notice, Server};

impl Server {
    /// Installs handlers for the signals to stop (Ctrl-C, SIGTERM) and to reload (SIGHUP). Without a handler they end
    /// the process, so call this before announcing that the server is ready.
    pub fn handle_signals(self) -> io::Result<SignalLoop> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let signals = {
            let _inside = runtime.enter();
            Signals::listen()?
        };
        Ok(SignalLoop {
            server: self,
            runtime,
            signals,
        })
    }
}

/// A server whose signal handlers are installed. [`run`](Self::run) acts on them.
pub struct SignalLoop {
    server: Server,
    runtime: tokio::runtime::Runtime,
    signals: Signals,
}

impl SignalLoop {
    /// Waits for a signal to stop. On SIGHUP it reads the certificates again and checks for a new publication at once.
    ///
    /// Then [stops](Server::stop) the server and returns whether all downloads finished. A second signal to stop ends
    /// the process at once.
    pub fn run(self, on_notice: &dyn Fn(Notice)) -> io::Result<bool> {
        let Self {
            server,
            runtime,
            mut signals,
        } = self;
        while let Signal::Reload = runtime.block_on(signals.next())? {
            if let Err(error) = server.reload() {
                on_notice(Notice::Warning(error.to_string()));
            }
        }
        let force_exit = std::thread::Builder::new().name("signals".to_owned());
        force_exit.spawn(move || {
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

/// The streams of all handled signals. They stay open, so that a signal that arrives while another one is handled is
/// not lost.
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
