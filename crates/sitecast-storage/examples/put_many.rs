//! Measures the time to put many small objects, and one large one: `put_many LOCATION [COUNT [MIB]]`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{Read, Write};
use std::time::Instant;

use sitecast_storage::{Attributes, Body, BucketOptions, Condition, Put, Store, StorePath, open};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let location = arguments
        .next()
        .ok_or("usage: put_many LOCATION [COUNT [MIB]]")?;
    let count: usize = arguments.next().as_deref().unwrap_or("10000").parse()?;
    let mib: u64 = arguments.next().as_deref().unwrap_or("0").parse()?;
    let store = open(&location, &BucketOptions::default())?;
    let lock = store.lock()?;

    let paths: Vec<StorePath> = (0..count)
        .map(|n| format!("many/{}/{n}/llm.json", n % 100).parse())
        .collect::<Result<_, _>>()?;
    // The size of a typical machine page.
    let body = vec![b'x'; 4_000];
    let started = Instant::now();
    let mut puts = paths.iter().map(|path| Put {
        path: path.clone(),
        body: Body::Bytes(body.clone()),
        attributes: Attributes::default(),
        condition: Condition::None,
    });
    store.put_all(&mut puts)?;
    println!("put {count}: {:.2?}", started.elapsed());
    let started = Instant::now();
    store.sync()?;
    println!("sync: {:.2?}", started.elapsed());
    let started = Instant::now();
    let listed = store.list(None)?.len();
    println!("list {listed}: {:.2?}", started.elapsed());

    if mib > 0 {
        large(&*store, mib)?;
    }
    lock.check()?;
    Ok(())
}

fn large(store: &dyn Store, mib: u64) -> Result<(), Box<dyn Error>> {
    let file = store.scratch()?.join("large");
    let mut written = std::fs::File::create(&file)?;
    let piece: Vec<u8> = (0..1024 * 1024_u32).map(|n| (n % 251) as u8).collect();
    for _ in 0..mib {
        written.write_all(&piece)?;
    }
    drop(written);
    let path: StorePath = "large.bin".parse()?;
    let started = Instant::now();
    store.put(Put {
        path: path.clone(),
        body: Body::File(file),
        attributes: Attributes::default(),
        condition: Condition::None,
    })?;
    println!("put {mib} MiB: {:.2?}", started.elapsed());
    let started = Instant::now();
    let mut object = store.get(&path)?.ok_or("it was just put")?;
    let read = std::io::copy(&mut object.reader.by_ref(), &mut std::io::sink())?;
    println!("read {read} bytes: {:.2?}", started.elapsed());
    Ok(())
}
