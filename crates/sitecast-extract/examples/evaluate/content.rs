//! Scores of the extracted text against the marked content.

use std::collections::BTreeMap;

use crate::corpus::MarkedPage;
use crate::words::{Mean, Score, Shingles, normal, words};

/// Scores of one extractor. Words and shingles count on pages with marked content only: on the few others, scripts
/// render the text, and the benchmark's published figures leave them out, too. Snippets count on all pages.
#[derive(Debug, Default)]
pub struct Content {
    all: Mean,
    shingles: Shingles,
    articles: Shingles,
    kinds: BTreeMap<String, Mean>,
    with: Share,
    without: Share,
    worst: Vec<(Score, String, String, String)>,
}

#[derive(Debug, Default)]
struct Share {
    hits: usize,
    of: usize,
}

impl Share {
    fn percent(&self) -> f64 {
        100.0 * self.hits as f64 / self.of.max(1) as f64
    }
}

impl Content {
    pub fn add(&mut self, page: &MarkedPage, text: &str) {
        let wanted = words(page.truth.main_content.as_deref().unwrap_or_default());
        let found = words(text);
        if !wanted.is_empty() {
            let score = Score::of(&found, &wanted);
            self.all.add(score);
            self.kinds.entry(page.kind.clone()).or_default().add(score);
            self.shingles.add(&found, &wanted);
            if page.kind == "article" {
                self.articles.add(&found, &wanted);
            }
            self.worst
                .push((score, page.id.clone(), page.kind.clone(), page.url.clone()));
        }
        let text = found.join(" ");
        // Snippets end at a fixed length, possibly inside a word.
        for (snippets, share) in [
            (&page.truth.with, &mut self.with),
            (&page.truth.without, &mut self.without),
        ] {
            for snippet in snippets {
                share.of += 1;
                share.hits += usize::from(text.contains(&normal(snippet)));
            }
        }
    }

    pub fn print(columns: &[(String, &Self)]) {
        print_row("F1 of words", columns, |content| {
            format!("{:.4}", content.all.get().f1)
        });
        print_row("  precision", columns, |content| {
            format!("{:.4}", content.all.get().precision)
        });
        print_row("  recall", columns, |content| {
            format!("{:.4}", content.all.get().recall)
        });
        let kinds: Vec<String> = columns
            .first()
            .map(|(_, content)| content.kinds.keys().cloned().collect())
            .unwrap_or_default();
        for kind in kinds {
            let pages = columns[0].1.kinds[&kind].count;
            print_row(&format!("{kind} ({pages})"), columns, |content| {
                content
                    .kinds
                    .get(&kind)
                    .map_or("-".to_owned(), |mean| format!("{:.4}", mean.get().f1))
            });
        }
        for (name, of) in [
            (
                "shingles, F1",
                (|content| content.shingles) as fn(&Self) -> Shingles,
            ),
            ("shingles of articles, F1", |content| content.articles),
        ] {
            print_row(name, columns, |content| {
                format!("{:.4}", of(content).get().f1)
            });
            print_row("  precision", columns, |content| {
                format!("{:.4}", of(content).get().precision)
            });
            print_row("  recall", columns, |content| {
                format!("{:.4}", of(content).get().recall)
            });
        }
        print_row("`with` kept, %", columns, |content| {
            format!("{:.1}", content.with.percent())
        });
        print_row("`without` let in, %", columns, |content| {
            format!("{:.1}", content.without.percent())
        });
    }

    pub fn print_worst(&mut self, count: usize) {
        self.worst
            .sort_by(|a, b| a.0.f1.total_cmp(&b.0.f1).then_with(|| a.1.cmp(&b.1)));
        println!("\nworst pages        F1   precision  recall");
        for (score, id, kind, url) in self.worst.iter().take(count) {
            println!(
                "  {id} {kind:<13} {:.3}  {:.3}      {:.3}  {url}",
                score.f1, score.precision, score.recall
            );
        }
    }
}

pub fn print_row<T>(name: &str, columns: &[(String, &T)], value: impl Fn(&T) -> String) {
    print!("{name:<26}");
    for (_, column) in columns {
        print!("{:>16}", value(column));
    }
    println!();
}
