//! `Verified`: no page is returned before the whole collection has been verified.

use std::fs::File;
use std::io::{Cursor, Read, Seek};

use crate::support::*;
use sitecast_scp::{Compression, Event, ReadError, ReaderOptions, Verified};

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
fn returns_no_page_if_the_last_line_is_invalid() {
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
fn returns_no_page_if_the_checksum_is_wrong() {
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
fn returns_pages_from_the_spool() {
    let data = zstd(&file(&[&page("a"), &page("b")]));
    let spool = tempfile::tempfile().unwrap();
    let mut verified =
        Verified::spooled(data.as_slice(), spool, &ReaderOptions::default(), |_| ()).unwrap();
    assert_eq!(verified.summary().counts.pages, 2);
    assert_eq!(titles(&mut verified).len(), 2);
}

#[test]
fn returns_each_url_once_with_its_newest_page() {
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
fn detects_a_change_between_the_passes() {
    let pages: Vec<String> = (0..20_000).map(|i| page(&i.to_string())).collect();
    let lines: Vec<&str> = pages.iter().map(String::as_str).collect();
    let mut data = file(&lines);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.scp");
    std::fs::write(&path, &data).unwrap();

    let mut unchanged = Verified::new(
        File::open(&path).unwrap(),
        &ReaderOptions::default(),
        |_| (),
    )
    .unwrap();
    assert_eq!(titles(&mut unchanged).len(), 20_000);

    // Change a letter that is far beyond the part that the second pass has already read.
    let mut verified = Verified::new(
        File::open(&path).unwrap(),
        &ReaderOptions::default(),
        |_| (),
    )
    .unwrap();
    let at = data
        .windows(5)
        .rposition(|window| window == b"Hello")
        .unwrap();
    data[at] = b'J';
    std::fs::write(&path, &data).unwrap();
    let error = loop {
        match verified.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the change was not detected"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, ReadError::Changed), "{error}");
}

#[test]
fn does_not_read_beyond_the_verified_bytes() {
    let data = file(&[&page("a")]);
    let mut spool = Cursor::new(vec![b'x'; 10_000]);
    spool.set_position(100);
    let mut verified =
        Verified::spooled(data.as_slice(), spool, &ReaderOptions::default(), |_| ()).unwrap();
    assert_eq!(titles(&mut verified).len(), 1);
}

#[test]
fn starts_at_the_current_position_of_the_source() {
    let mut source = Cursor::new([b"before".to_vec(), file(&[&page("a")])].concat());
    source.set_position(6);
    let mut verified = Verified::new(source, &ReaderOptions::default(), |_| ()).unwrap();
    assert_eq!(titles(&mut verified).len(), 1);
}

#[test]
fn read_ahead_returns_the_same_result() {
    let mut failed = 0;
    let pages: Vec<String> = (0..20_000)
        .map(|i| page(&i.to_string()).replace("Hello", &noise(i, 200)))
        .collect();
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
            (Err(one), Err(other)) => {
                assert_eq!(one.to_string(), other.to_string());
                failed += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(failed, 2, "two of the files are invalid");
}

#[test]
fn read_ahead_reader_can_be_dropped_early() {
    let endless = Cursor::new(file(&[])).chain(std::io::repeat(b' '));
    let reader = ReaderOptions::default().read_ahead(endless).unwrap();
    assert!(reader.collection().is_some());
    drop(reader);
}

#[test]
fn readers_and_writers_are_send() {
    fn is_send<T: Send>() {}
    is_send::<sitecast_scp::Reader<File>>();
    is_send::<Verified<File>>();
    is_send::<sitecast_scp::Writer<File>>();
    is_send::<ReadError>();
    is_send::<sitecast_scp::WriteError>();
}
