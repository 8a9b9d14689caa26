//! HTTPS with certificate files that can be replaced while the server runs.

use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::ServeError;
use crate::options::TlsFiles;

pub(crate) struct Tls {
    files: TlsFiles,
    config: ArcSwap<ServerConfig>,
}

impl Tls {
    pub(crate) fn load(files: TlsFiles) -> Result<Self, ServeError> {
        let config = ArcSwap::new(read(&files)?);
        Ok(Self { files, config })
    }

    /// Reads the files again. If they are invalid, the previous certificate stays in use.
    pub(crate) fn reload(&self) -> Result<(), ServeError> {
        self.config.store(read(&self.files)?);
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.load_full())
    }
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, ServeError> {
    let wrong = |path: &Path, problem: String| ServeError::Tls {
        path: path.display().to_string(),
        problem,
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(&files.certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(
            &files.certificate,
            "it contains no certificate".to_owned(),
        ));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| wrong(&files.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&files.certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| wrong(&files.certificate, error.to_string()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
