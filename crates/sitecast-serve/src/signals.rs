//! Waiting until somebody ends the server.

use std::io;

use crate::{Notice, Server};

impl Server {
    /// Waits for the signal to stop (Ctrl-C, or SIGTERM), and obeys SIGHUP meanwhile: certificates are
    /// read again, and a new publication is looked for at once.
    ///
    /// Then the server [stops](Server::stop). Another signal ends the process at once.
    pub fn run(self, tell: &dyn Fn(Notice)) -> io::Result<bool> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(self.told_to_stop(tell))?;
        let impatient = std::thread::Builder::new().name("signals".to_owned());
        impatient.spawn(move || {
            runtime.block_on(async {
                let _ = told().await;
                std::process::exit(1);
            });
        })?;
        Ok(self.stop())
    }

    #[cfg(unix)]
    async fn told_to_stop(&self, tell: &dyn Fn(Notice)) -> io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut reload = signal(SignalKind::hangup())?;
        loop {
            tokio::select! {
                told = told() => return told,
                _ = reload.recv() => {
                    if let Err(error) = self.reload() {
                        tell(Notice::Warning(error.to_string()));
                    }
                }
            }
        }
    }

    #[cfg(not(unix))]
    async fn told_to_stop(&self, _tell: &dyn Fn(Notice)) -> io::Result<()> {
        told().await
    }
}

#[cfg(unix)]
async fn told() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn told() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
