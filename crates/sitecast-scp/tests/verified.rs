//! Nothing from a collection is used before it is known to be whole and right.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing
)]

mod support;

use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use sitecast_scp::{Compression, Event, ReadError, ReaderOptions, Verified};
use support::*;

fn titles<S: Read + Seek>(verified: &mut Verified<S>) -> Vec<String> {
    let mut titles = Vec::new();
    while let Some(event) = verified.next_event().unwrap() {
        if let Event::Page(page) = event {
            titles.push(page.to_page().unwrap().title);
        }
    }
    titles
}

#[test]
fn hands_out_nothing_of_a_file_whose_last_line_is_wrong() {
    let bad = file(&[&page("a"), &page("b"), "{}"]);
    for data in [bad.clone(), gzip(&bad), zstd(&bad)] {
        let options = ReaderOptions::default();
        assert!(matches!(
            Verified::new(Cursor::new(data.clone()), &options, |_| ()).err(),
            Some(ReadError::Line { .. })
        ));
        let spool = tempfile::tempfile().unwrap();
        assert!(Verified::spooled(data.as_slice(), spool, &options, |_| ()).is_err());
    }
}

#[test]
fn hands_out_nothing_of_a_file_with_a_wrong_checksum() {
    let mut data = write(
        Compression::None,
        &snapshot(),
        &read(&file(&[&page("a")])).pages,
    );
    let at = data
        .windows(5)
        .position(|window| window == b"Hello")
        .unwrap();
    data[at] = b'J';
    let result = Verified::new(Cursor::new(data), &ReaderOptions::default(), |_| ());
    assert!(matches!(
        result.err(),
        Some(ReadError::ChecksumMismatch { .. })
    ));
}

#[test]
fn a_stream_is_spooled_and_handed_out_from_there() {
    let data = zstd(&file(&[&page("a"), &page("b")]));
    let spool = tempfile::tempfile().unwrap();
    let mut verified =
        Verified::spooled(data.as_slice(), spool, &ReaderOptions::default(), |_| ()).unwrap();
    assert_eq!(verified.summary().counts.pages, 2);
    assert_eq!(titles(&mut verified).len(), 2);
}

#[test]
fn each_url_comes_once_with_its_newest_page() {
    let version = |day: u32| {
        page("a")
            .replace("2025-01-15T09", &format!("2025-01-{day:02}T09"))
            .replace("Title", &day.to_string())
    };
    let data = file(&[&version(10), &version(12), &page("b"), &version(11)]);
    let mut warned = Vec::new();
    let mut verified = Verified::new(Cursor::new(data), &ReaderOptions::default(), |warning| {
        warned.push(warning.code())
    })
    .unwrap();
    assert_eq!(titles(&mut verified), ["12", "Title"]);
    let counts = verified.summary().counts.clone();
    assert_eq!((counts.pages, counts.rejected_pages), (2, 2));
    drop(verified);
    assert_eq!(warned, ["duplicate-url", "duplicate-url"]);
}

#[test]
fn a_file_that_changes_between_the_passes_is_noticed() {
    let mut source = tempfile::tempfile().unwrap();
    source.write_all(&file(&[&page("a"), &page("b")])).unwrap();
    source.seek(SeekFrom::Start(0)).unwrap();
    let mut other = source.try_clone().unwrap();
    let mut verified = Verified::new(source, &ReaderOptions::default(), |_| ()).unwrap();
    // More than the reader holds already, so that the change is where it has not read yet.
    assert!(matches!(verified.next_event(), Ok(Some(Event::Page(_)))));
    drop(verified);
    let long: Vec<String> = (0..20_000).map(|i| page(&i.to_string())).collect();
    let lines: Vec<&str> = long.iter().map(String::as_str).collect();
    other.seek(SeekFrom::Start(0)).unwrap();
    other.write_all(&file(&lines)).unwrap();
    other.seek(SeekFrom::Start(0)).unwrap();
    let mut writer = other.try_clone().unwrap();
    let mut verified = Verified::new(other, &ReaderOptions::default(), |_| ()).unwrap();
    let end = writer.seek(SeekFrom::End(-20)).unwrap();
    writer.write_all(b"x").unwrap();
    writer.seek(SeekFrom::Start(0)).unwrap();
    assert!(end > 1_000_000);
    let error = loop {
        match verified.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the change went unnoticed"),
            Err(error) => break error,
        }
    };
    assert!(
        matches!(error, ReadError::Changed | ReadError::Line { .. }),
        "{error}"
    );
}

#[test]
fn begins_where_the_source_stands() {
    let mut source = Cursor::new([b"before".to_vec(), file(&[&page("a")])].concat());
    source.set_position(6);
    let mut verified = Verified::new(source, &ReaderOptions::default(), |_| ()).unwrap();
    assert_eq!(titles(&mut verified).len(), 1);
}

#[test]
fn reading_ahead_gives_the_same() {
    let pages: Vec<String> = (0..20_000).map(|i| page(&i.to_string())).collect();
    let lines: Vec<&str> = pages.iter().map(String::as_str).collect();
    let mut bad = lines.clone();
    bad.push("{}");
    for data in [
        file(&lines),
        zstd(&file(&lines)),
        gzip(&file(&bad)),
        b"nonsense".to_vec(),
    ] {
        let here = read(&data);
        let there = (|| {
            let mut reader = ReaderOptions::default().read_ahead(Cursor::new(data))?;
            let mut count = 0;
            while let Some(event) = reader.next_event()? {
                count += usize::from(matches!(event, Event::Page(_)));
            }
            Ok::<_, ReadError>((count, reader.summary().cloned()))
        })();
        match (here.result, there) {
            (Ok(summary), Ok((count, other))) => {
                assert_eq!((count, other), (here.pages.len(), Some(summary)));
            }
            (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_reader_that_reads_ahead_can_be_dropped_half_way() {
    let endless = Cursor::new(file(&[])).chain(std::io::repeat(b' '));
    let reader = ReaderOptions::default().read_ahead(endless).unwrap();
    assert!(reader.collection().is_some());
    drop(reader);
}
