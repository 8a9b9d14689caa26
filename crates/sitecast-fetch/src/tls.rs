//! Errors of TLS, in words and with what can be done about them: rustls's own are for programmers.

use std::error::Error as StdError;
use std::io;

use rustls::{AlertDescription, CertificateError, Error};

/// The words for the error of TLS among the causes of `error`.
pub(crate) fn reason(error: &(dyn StdError + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(in_words(error));
        }
        // The source of an I/O error is not the error that it wraps, but that one's source.
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

fn in_words(error: &Error) -> String {
    use AlertDescription as Alert;
    let words = match error {
        Error::InvalidCertificate(error) => return certificate(error),
        Error::InvalidMessage(_) => {
            "what answers there does not speak TLS; check the port, and whether the URL begins with `http://`"
        }
        Error::AlertReceived(Alert::UnrecognisedName) => {
            "the server has no site of this name; check the name"
        }
        Error::PeerIncompatible(_)
        | Error::AlertReceived(
            Alert::ProtocolVersion | Alert::HandshakeFailure | Alert::InsufficientSecurity,
        ) => {
            "the server and this client have no way of TLS in common; the server has to speak TLS 1.2 or later"
        }
        Error::AlertReceived(_) => {
            "the server breaks TLS off; check the name and the port, or tell the site's owner"
        }
        Error::NoCertificatesPresented => "the server shows no certificate; tell the site's owner",
        Error::InappropriateMessage { .. }
        | Error::InappropriateHandshakeMessage { .. }
        | Error::PeerMisbehaved(_)
        | Error::PeerSentOversizedRecord
        | Error::DecryptError => {
            "the server, or something on the way to it, does not keep to the rules of TLS; tell the site's owner"
        }
        Error::General(words) => return words.clone(),
        _ => "TLS cannot be spoken with the server; tell the site's owner",
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
        // The latter two: an issuer of this name is trusted, and has another key.
        Problem::UnknownIssuer
        | Problem::BadSignature
        | Problem::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "nobody whom this machine trusts has signed the server's certificate: it is self-signed, its issuer is \
             unknown, or the server leaves certificates in between out; tell the site's owner, or have this machine \
             trust the issuer"
        }
        // Among others what many tools make for tests: the certificate of an authority, in use as a server's.
        Problem::Other(_) => {
            "the server's certificate is none for servers, as some that are self-signed; the site needs one that an \
             authority has signed"
        }
        Problem::InvalidPurpose | Problem::InvalidPurposeContext { .. } => {
            "the server's certificate is none for servers; tell the site's owner"
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
    fn an_error_is_found_wherever_it_is_and_said_in_words() {
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
                "no site of this name",
            ),
        ] {
            // As the connector wraps it.
            let wrapped = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error));
            let said = reason(&wrapped).unwrap();
            assert!(said.contains(words), "{said}");
            assert!(!said.contains(['(', '{']), "{said}");
        }
        assert_eq!(reason(&io::Error::other("something else")), None);
    }
}
