//! Checksums: SCP draft 3, "Checksum Calculation" and "Checksum Verification". The checksum covers the
//! uncompressed file without the `checksum` member of line 1 and the comma that joins it.

use crate::support::*;
use sha2::{Digest, Sha256};
use sitecast_scp::{Checksum, ChecksumStatus, Compression, ReadError};

/// The checksum of `data`, computed without the code under test.
fn sha256(data: &[u8]) -> String {
    Checksum::from_bytes(Sha256::digest(data).into()).to_string()
}

fn with_checksum(before: &str, after: &str, checksum: &str) -> String {
    METADATA.replacen(
        &format!("{before}{after}"),
        &format!("{before},\"checksum\":\"{checksum}\"{after}"),
        1,
    )
}

#[test]
fn must_be_the_sha_256_of_the_uncompressed_content() {
    let rest = format!("{}\n", page("a"));
    let checksum = sha256(format!("{METADATA}\n{rest}").as_bytes());
    let last = with_checksum("\"version\":\"0.1\"", "}}", &checksum);
    let middle = with_checksum("\"type\":\"snapshot\"", ",\"generated\"", &checksum);
    let first = METADATA.replacen(
        "{\"id\"",
        &format!("{{\"checksum\":\"{checksum}\",\"id\""),
        1,
    );
    for metadata in [last, middle, first] {
        let file = format!("{metadata}\n{rest}").into_bytes();
        for data in [file.clone(), gzip(&file), zstd(&file)] {
            let summary = read(&data).result.unwrap();
            assert_eq!(
                (summary.checksum, summary.digest.to_string()),
                (ChecksumStatus::Verified, checksum.clone())
            );
        }
    }
}

#[test]
fn compares_hex_digits_case_insensitively() {
    let checksum = sha256(format!("{METADATA}\n").as_bytes());
    let upper = format!(
        "sha256:{}",
        checksum.trim_start_matches("sha256:").to_uppercase()
    );
    let file = format!("{}\n", with_checksum("\"version\":\"0.1\"", "}}", &upper));
    assert_eq!(
        read(file.as_bytes()).result.unwrap().checksum,
        ChecksumStatus::Verified
    );
}

#[test]
fn mismatch_must_be_fatal() {
    let file = write(Compression::None, &snapshot(), &[]);
    let plain = String::from_utf8(file).unwrap() + &page("added") + "\n";
    for data in [
        plain.clone().into_bytes(),
        gzip(plain.as_bytes()),
        zstd(plain.as_bytes()),
    ] {
        let outcome = read(&data);
        let error = outcome.result.unwrap_err();
        assert!(
            matches!(error, ReadError::ChecksumMismatch { .. }),
            "{error}"
        );
        let ReadError::ChecksumMismatch {
            hashed_bytes, cut, ..
        } = &error
        else {
            unreachable!()
        };
        let member = format!(
            ",\"checksum\":\"{}\"",
            outcome.collection.unwrap().checksum.unwrap()
        );
        assert_eq!(
            plain.get(cut.clone()),
            Some(member.as_str()),
            "the bytes that were not hashed"
        );
        assert_eq!(*hashed_bytes as usize, plain.len() - member.len());
        let expected = format!(
            "{hashed_bytes} bytes: the uncompressed file without bytes {} to {}",
            cut.start + 1,
            cut.end
        );
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn detects_a_change_of_any_byte() {
    let file = write(
        Compression::None,
        &snapshot(),
        &read(&file(&[&page("a")])).pages,
    );
    assert_eq!(
        read(&file).result.unwrap().checksum,
        ChecksumStatus::Verified
    );
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0x01;
        // A change in the name of the member results in a valid file without a checksum.
        let verified = matches!(read(&changed).result, Ok(summary) if summary.checksum == ChecksumStatus::Verified);
        assert!(!verified, "a change of byte {at} was not detected");
    }
}

#[test]
fn accepts_white_space_around_the_checksum_member() {
    // The output of a program that writes a space after commas and colons.
    let metadata = METADATA
        .replace(',', ", ")
        .replace(':', ": ")
        .replace("10: 00: 00", "10:00:00");
    let checksum = sha256(format!("{metadata}\n").as_bytes());
    for (from, to) in [
        (
            "\"version\": \"0.1\"",
            format!("\"version\": \"0.1\", \"checksum\": \"{checksum}\""),
        ),
        (
            "\"id\": ",
            format!("\"checksum\": \"{checksum}\", \"id\": "),
        ),
        (
            "\"type\": ",
            format!("\"checksum\": \"{checksum}\", \"type\": "),
        ),
    ] {
        let file = format!("{}\n", metadata.replacen(from, &to, 1));
        assert_eq!(
            read(file.as_bytes()).result.unwrap().checksum,
            ChecksumStatus::Verified,
            "{file}"
        );
    }
}

#[test]
fn reports_an_absent_checksum_and_computes_it() {
    let data = file(&[&page("a")]);
    let summary = read(&data).result.unwrap();
    assert_eq!(summary.checksum, ChecksumStatus::Absent);
    assert_eq!(summary.digest.to_string(), sha256(&data));
}
