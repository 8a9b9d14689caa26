use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sitecast_extract::{Extractor, Html, Limits, Model, stated_url};
use sitecast_scp::{Block, HttpUrl, Timestamp};

use crate::content::Content;
use crate::corpus::{MarkedPage, pages};
use crate::metadata::{Metadata, Stated};
use crate::structure::{Structure, of_blocks, of_html, wanted};

/// All scores of one extractor.
#[derive(Debug, Default)]
struct Scores {
    content: Content,
    metadata: Metadata,
    structure: Structure,
}

/// Another extractor's result for a page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Made {
    id: String,
    text: Option<String>,
    html: Option<String>,
    title: Option<String>,
    author: Option<String>,
    date: Option<String>,
}

struct Options {
    models: Vec<Model>,
    model_of: HashMap<String, usize>,
    rivals: Vec<(String, HashMap<String, Made>)>,
    made: Option<BufWriter<File>>,
    worst: usize,
}

pub fn wcxb(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let (corpus, options) = arguments
        .split_first()
        .ok_or("usage: evaluate wcxb CORPUS [OPTION]…")?;
    let mut options = parse(options)?;
    let mut ours = Scores::default();
    let mut rivals: Vec<Scores> = options.rivals.iter().map(|_| Scores::default()).collect();
    let (mut bytes, mut time, mut errors) = (0, Duration::ZERO, 0);
    for page in pages(Path::new(corpus))? {
        let page = page?;
        let wanted = wanted(&page);
        let model = match options.model_of.get(&page.id) {
            Some(number) => &options.models[*number],
            None => Model::bundled(),
        };
        let started = Instant::now();
        let extracted = extract(&page, model);
        time += started.elapsed();
        bytes += page.html.len();
        match extracted {
            Ok((text, stated, pieces)) => {
                if let Some(out) = &mut options.made {
                    let made = serde_json::json!({
                        "id": page.id, "kind": page.kind, "url": page.url, "text": text,
                        "title": stated.title, "author": stated.author, "date": stated.date,
                    });
                    writeln!(out, "{made}")?;
                }
                ours.content.add(&page, &text);
                ours.metadata.add(&page, &stated);
                ours.structure.add(&wanted, &pieces);
            }
            Err(error) => {
                errors += 1;
                eprintln!("{}: {error}", page.id);
            }
        }
        for ((_, made), scores) in options.rivals.iter().zip(&mut rivals) {
            let Some(made) = made.get(&page.id) else {
                scores.content.add(&page, "");
                continue;
            };
            scores
                .content
                .add(&page, made.text.as_deref().unwrap_or_default());
            let stated = Stated {
                title: made.title.clone(),
                author: made.author.clone(),
                date: made.date.clone(),
                modified: None,
            };
            scores.metadata.add(&page, &stated);
            let html = made.html.as_deref().unwrap_or_default();
            scores.structure.add(&wanted, &of_html(html.as_bytes()));
        }
    }

    let mut columns = vec![("sitecast".to_owned(), &ours)];
    columns.extend(
        options
            .rivals
            .iter()
            .map(|(name, _)| name.clone())
            .zip(&rivals),
    );
    print!("{:<26}", "");
    for (name, _) in &columns {
        print!("{name:>16}");
    }
    println!();
    Content::print(&part(&columns, |scores| &scores.content));
    Metadata::print(&part(&columns, |scores| &scores.metadata));
    Structure::print(&part(&columns, |scores| &scores.structure));
    println!(
        "\n{:.1} MB in {:.1} s, {:.1} MB/s; {errors} errors",
        bytes as f64 / 1e6,
        time.as_secs_f64(),
        bytes as f64 / 1e6 / time.as_secs_f64()
    );
    ours.content.print_worst(options.worst);
    Ok(())
}

fn part<'a, T>(
    columns: &[(String, &'a Scores)],
    of: impl Fn(&'a Scores) -> &'a T,
) -> Vec<(String, &'a T)> {
    columns
        .iter()
        .map(|(name, scores)| (name.clone(), of(scores)))
        .collect()
}

type Result3 = (String, Stated, Vec<crate::structure::Piece>);

fn extract(page: &MarkedPage, model: &Model) -> Result<Result3, Box<dyn Error>> {
    // A few pages of the corpus have no URL.
    let url: HttpUrl = page
        .url
        .parse()
        .ok()
        .or_else(|| stated_url(&page.html, &Limits::default()))
        .map_or_else(|| "https://example.com/page".parse(), Ok)?;
    let seen = Timestamp::from_unix_seconds(0).ok_or("no epoch")?;
    let extractor = Extractor {
        model,
        ..Extractor::default()
    };
    let extracted = extractor.extract_page(&Html::new(&url, &page.html, seen))?;
    let states_modified = extracted.states_modified;
    let made = extracted.page;
    let stated = Stated {
        title: Some(made.title.clone()),
        author: made.author.clone(),
        date: made.published.map(|time| time.to_string()),
        modified: states_modified.then(|| made.modified.to_string()),
    };
    Ok((text_of(&made.content), stated, of_blocks(&made.content)))
}

/// Returns the text of the blocks, without the numbers of items.
fn text_of(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Text { text: piece } | Block::Heading { text: piece, .. } => {
                text.push_str(piece)
            }
            Block::Code { code, .. } => text.push_str(code),
            Block::Quote {
                text: piece,
                citation,
            } => {
                text.push_str(piece);
                text.push('\n');
                text.push_str(citation.as_deref().unwrap_or_default());
            }
            Block::List { items, .. } => text.push_str(&items.join("\n")),
            Block::Table { rows } => {
                for row in rows {
                    text.push_str(&row.join("\n"));
                    text.push('\n');
                }
            }
            Block::Video(video) => text.push_str(video.transcript.as_deref().unwrap_or_default()),
            Block::Audio(audio) => text.push_str(audio.transcript.as_deref().unwrap_or_default()),
            Block::Link { .. } | Block::Image { .. } => {}
        }
        text.push('\n');
    }
    text
}

fn parse(arguments: &[String]) -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        models: Vec::new(),
        model_of: HashMap::new(),
        rivals: Vec::new(),
        made: None,
        worst: 10,
    };
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--folds" => {
                for number in 0.. {
                    let Ok(text) = fs::read_to_string(format!("{value}.{number}")) else {
                        break;
                    };
                    options.models.push(Model::parse(&text)?);
                    for id in fs::read_to_string(format!("{value}.{number}.ids"))?.lines() {
                        options.model_of.insert(id.to_owned(), number);
                    }
                }
                if options.models.is_empty() {
                    return Err(format!("`{value}.0` does not exist").into());
                }
            }
            "--rival" => {
                let (name, file) = value
                    .split_once('=')
                    .ok_or("expected `--rival NAME=FILE`")?;
                let mut all = HashMap::new();
                for line in fs::read_to_string(file)?.lines() {
                    let made: Made = serde_json::from_str(line)?;
                    all.insert(made.id.clone(), made);
                }
                options.rivals.push((name.to_owned(), all));
            }
            "--made" => options.made = Some(BufWriter::new(File::create(value)?)),
            "--worst" => options.worst = value.parse()?,
            _ => return Err(format!("unknown option `{name}`").into()),
        }
    }
    Ok(options)
}
