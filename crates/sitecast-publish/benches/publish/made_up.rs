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

    /// A word of a language that has some thousands, a few of which are half of every text.
    fn word(&mut self) -> String {
        const FREQUENT: [&str; 12] = [
            "the", "of", "and", "to", "in", "is", "that", "for", "with", "as", "are", "this",
        ];
        const SYLLABLES: [&str; 20] = [
            "ba", "con", "der", "el", "fi", "gra", "hi", "ing", "ka", "lo", "men", "nor", "os",
            "pre", "qui", "ri", "sta", "ter", "un", "ver",
        ];
        if self.roll(5) < 2 {
            return FREQUENT[self.roll(FREQUENT.len())].to_owned();
        }
        // Low numbers are likelier: of 4,000 words some hundreds are met again and again.
        let (most, chosen) = (self.roll(4_000) + 1, 8_000);
        let mut number = self.roll(most) + chosen;
        let mut word = String::new();
        while number > 0 {
            word.push_str(SYLLABLES[number % SYLLABLES.len()]);
            number /= SYLLABLES.len() * 4;
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
    let menu: String = (0..60)
        .map(|n| format!("<li class=\"menu-item menu-item-{n}\"><a href=\"/topic-{n}/\" title=\"Topic {n}\">Topic {n}</a></li>"))
        .collect();
    let script = "window.dataLayer=window.dataLayer||[];".repeat(30);
    for n in 0..pages {
        let mut dice = Dice(n as u64);
        let body: String = (0..6)
            .map(|_| {
                let (heading, link) = (dice.word(), dice.roll(pages));
                let list: String = (0..3).map(|_| format!("<li>{}</li>", dice.sentence())).collect();
                format!(
                    "<h2 id=\"{heading}\">{heading}</h2>\n<p>{} <a href=\"/{link}/\">{}</a></p>\n<ul>{list}</ul>\n<p>{}</p>",
                    dice.paragraph(),
                    dice.word(),
                    dice.paragraph()
                )
            })
            .collect();
        let related: String = (0..8)
            .map(|_| format!("<div class=\"card\"><a href=\"/{0}/\"><img src=\"/{0}.jpg\" alt=\"\">{1}</a></div>", dice.roll(pages), dice.word()))
            .collect();
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page {n} - The Site</title>\
             <script>{script}</script></head><body class=\"page\"><header><nav><ul>{menu}</ul></nav></header>\
             <main><article><h1>Page {n}</h1>{body}</article><aside>{related}</aside></main>\
             <footer><p>© 2025 The Site. All rights reserved.</p></footer></body></html>"
        );
        write(folder, n, &html);
    }
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
