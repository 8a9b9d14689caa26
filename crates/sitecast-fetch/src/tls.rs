//! Messages for TLS errors, with advice. Those of rustls are for programmers.

use std::error::Error as StdError;
use std::io;

use rustls::{AlertDescription, CertificateError, Error};

/// Returns a message for the TLS error among the causes of `error`.
pub(crate) fn reason(error: &(dyn StdError + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(describe(error));
        }
        // `io::Error::source` skips the wrapped error and returns that one's source.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        cause = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn describe(error: &Error) -> String {
    use AlertDescription as Alert;
    let words = match error {
        Error::InvalidCertificate(error) => return certificate(error),
        Error::InvalidMessage(_) => {
            "the server does not speak TLS on this port; check the port, and whether the URL should begin with `http://`"
        }
        Error::AlertReceived(Alert::UnrecognisedName) => {
            "the server does not know this host name; check the name"
        }
        Error::PeerIncompatible(_)
        | Error::AlertReceived(
            Alert::ProtocolVersion | Alert::HandshakeFailure | Alert::InsufficientSecurity,
        ) => {
            "the server and this client have no TLS version or cipher in common; the server must support TLS 1.2 or later"
        }
        Error::AlertReceived(_) => {
            "the server closed the TLS connection with an error; check the name and the port, or tell the site's owner"
        }
        Error::NoCertificatesPresented => "the server sent no certificate; tell the site's owner",
        Error::InappropriateMessage { .. }
        | Error::InappropriateHandshakeMessage { .. }
        | Error::PeerMisbehaved(_)
        | Error::PeerSentOversizedRecord
        | Error::DecryptError => {
            "the server, or something between it and this machine, violates the TLS protocol; tell the site's owner"
        }
        Error::General(words) => return words.clone(),
        _ => "the TLS connection to the server failed; tell the site's owner",
    };
    words.to_owned()
}

fn certificate(error: &CertificateError) -> String {
    use CertificateError as Problem;
    let words = match error {
        Problem::Expired | Problem::ExpiredContext { .. } => {
            "the server's certificate has expired; the site's owner has to renew it, or this machine's clock is wrong"
        }
        Problem::NotValidYet | Problem::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet; check this machine's clock"
        }
        Problem::NotValidForNameContext { expected, .. } => {
            let name = expected.to_str();
            return format!(
                "the server's certificate is not valid for `{name}`; check the name, or tell the site's owner"
            );
        }
        Problem::NotValidForName => {
            "the server's certificate is not valid for this name; check the name, or tell the site's owner"
        }
        // The latter two: a trusted authority has the same name and another key.
        Problem::UnknownIssuer
        | Problem::BadSignature
        | Problem::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "no authority that this machine trusts has signed the server's certificate: it is self-signed, its issuer \
             is unknown, or the server does not send intermediate certificates; tell the site's owner, or make this \
             machine trust the issuer"
        }
        // For example a CA certificate used as a server's, as many tools generate for tests.
        Problem::Other(_) => {
            "the server's certificate is not one for servers, like some self-signed ones; the site needs a certificate \
             from a certificate authority"
        }
        Problem::InvalidPurpose | Problem::InvalidPurposeContext { .. } => {
            "the server's certificate is not one for servers; tell the site's owner"
        }
        Problem::Revoked => {
            "the server's certificate has been revoked; the site's owner has to renew it"
        }
        Problem::BadEncoding => "the server's certificate is damaged; tell the site's owner",
        _ => "the server's certificate cannot be verified; tell the site's owner",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::{InvalidMessage, OtherError};

    use super::*;

    #[test]
    fn describes_wrapped_tls_errors() {
        let authority = OtherError(Arc::new(io::Error::other("CaUsedAsEndEntity")));
        for (error, words) in [
            (
                Error::InvalidCertificate(CertificateError::Expired),
                "has expired",
            ),
            (
                Error::InvalidCertificate(CertificateError::UnknownIssuer),
                "self-signed",
            ),
            (
                Error::InvalidCertificate(CertificateError::Other(authority)),
                "self-signed",
            ),
            (
                Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                    expected: "example.com".try_into().unwrap(),
                    presented: Vec::new(),
                }),
                "not valid for `example.com`",
            ),
            (
                Error::InvalidMessage(InvalidMessage::InvalidContentType),
                "does not speak TLS",
            ),
            (
                Error::AlertReceived(AlertDescription::UnrecognisedName),
                "does not know this host name",
            ),
        ] {
            // Wrapped twice, as the connector does.
            let wrapped = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error));
            let said = reason(&wrapped).unwrap();
            assert!(said.contains(words), "{said}");
            assert!(!said.contains(['(', '{']), "{said}");
        }
        assert_eq!(reason(&io::Error::other("something else")), None);
    }
}
