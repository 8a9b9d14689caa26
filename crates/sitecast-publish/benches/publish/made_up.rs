//! A site that is made up: a menu, an article, a sidebar, a footer, like most.

use std::fs;
use std::path::Path;

/// Numbers that look like chance and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    /// A word of a language of 32,000, each as often as its place in the list of the most frequent ones allows
    /// (Zipf's law), and the longer the rarer: text compresses as that of people does.
    fn word(&mut self) -> String {
        const FREQUENT: [&str; 12] = [
            "the", "of", "and", "to", "in", "is", "that", "for", "with", "as", "are", "this",
        ];
        const SYLLABLES: [&str; 20] = [
            "ba", "con", "der", "el", "fi", "gra", "hi", "ing", "ka", "lo", "men", "nor", "os",
            "pre", "qui", "ri", "sta", "ter", "un", "ver",
        ];
        let octave = 1 << self.roll(15);
        let mut rank = octave + self.roll(octave) - 1;
        if let Some(word) = FREQUENT.get(rank) {
            return (*word).to_owned();
        }
        let mut word = String::new();
        while rank > 0 {
            word.push_str(SYLLABLES[rank % SYLLABLES.len()]);
            rank /= SYLLABLES.len();
        }
        word
    }

    fn sentence(&mut self) -> String {
        let length = 8 + self.roll(12);
        let words: Vec<String> = (0..length).map(|_| self.word()).collect();
        format!("The {}. ", words.join(" "))
    }

    fn paragraph(&mut self) -> String {
        let length = 2 + self.roll(3);
        (0..length).map(|_| self.sentence()).collect()
    }
}

/// Pages of some 20 kB, of which a third is content, as it is with real ones.
pub fn site(folder: &Path, pages: usize) {
    let item = |place: &str, n: usize| {
        format!(
            "<li class=\"{place}-item {place}-item-{n}\"><a class=\"{place}-link\" href=\"/topic-{n}/\">\
             <span class=\"{place}-text\">Topic {n}</span></a></li>\n"
        )
    };
    let list =
        |place: &str, items: usize| -> String { (0..items).map(|n| item(place, n)).collect() };
    let (menu, footer) = (list("menu", 60), list("footer", 24));
    let styles: String = (0..12)
        .map(|n| {
            format!("<link rel=\"stylesheet\" href=\"/assets/style-{n}.css\" media=\"all\">\n")
        })
        .collect();
    let script = "window.dataLayer=window.dataLayer||[];".repeat(30);
    for n in 0..pages {
        let mut dice = Dice(n as u64);
        let body: String = (0..5).map(|_| chapter(&mut dice, pages)).collect();
        let related: String = (0..8)
            .map(|_| format!("<div class=\"card\"><a href=\"/{0}/\"><img src=\"/{0}.jpg\" alt=\"\">{1}</a></div>", dice.roll(pages), dice.word()))
            .collect();
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page {n} - The Site</title>\n\
             <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"generator\" content=\"Hand\">\n\
             <meta property=\"og:title\" content=\"Page {n}\"><meta property=\"og:type\" content=\"website\">\n\
             {styles}<script>{script}</script></head>\n<body class=\"page\"><header><nav><ul>{menu}</ul></nav></header>\n\
             <main><article><h1>Page {n}</h1>{body}</article>\n<aside>{related}</aside></main>\n\
             <footer><ul>{footer}</ul><p>© 2025 The Site. All rights reserved.</p></footer></body></html>"
        );
        write(folder, n, &html);
    }
}

/// A heading, two paragraphs and a list, with what stands within sentences.
fn chapter(dice: &mut Dice, pages: usize) -> String {
    let (heading, link) = (dice.word(), dice.roll(pages));
    let items: String = (0..3)
        .map(|_| {
            format!(
                "<li><strong>{}</strong> {}</li>\n",
                dice.word(),
                dice.sentence()
            )
        })
        .collect();
    format!(
        "<h2 id=\"{heading}\">{heading}</h2>\n<p>{} <a href=\"/{link}/\">{}</a></p>\n<ul>{items}</ul>\n<p>{} <code>{}</code></p>\n",
        dice.paragraph(),
        dice.word(),
        dice.paragraph(),
        dice.word()
    )
}

/// Pages that are nearly nothing, of which there can be many. Answers how long their URLs are.
pub fn short_site(folder: &Path, pages: usize) -> usize {
    let mut url_bytes = 0;
    for n in 0..pages {
        let mut dice = Dice(n as u64);
        let html = format!(
            "<!DOCTYPE html><html lang=\"en\"><title>Page {n}</title><main><p>{}</p></main>",
            dice.paragraph()
        );
        url_bytes += write(folder, n, &html);
    }
    url_bytes
}

fn write(folder: &Path, n: usize, html: &str) -> usize {
    let path = format!("section-{}/page-number-{n}", n / 1_000);
    let page = folder.join(&path);
    fs::create_dir_all(&page).unwrap();
    fs::write(page.join("index.html"), html).unwrap();
    "https://example.com/".len() + path.len() + 1
}
