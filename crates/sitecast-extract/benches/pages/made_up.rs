use super::Page;

/// Generates articles in a template with a typical amount of boilerplate.
pub fn pages() -> Vec<Page> {
    (0..200).map(page).collect()
}

fn page(number: usize) -> Page {
    let menu: String = (0..80)
        .map(|n| format!("<li class=\"menu-item menu-item-{n}\"><a href=\"/section-{n}/\">Section {n}</a></li>\n"))
        .collect();
    let script =
        "window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)};"
            .repeat(300);
    let paragraphs: String = (0..30)
        .map(|n| {
            let subject = ["The river", "A patient reader", "Every old map", "The second engine"][(n + number) % 4];
            let heading = if n % 5 == 0 { format!("<h2 id=\"part-{n}\">Part {n} of {number}</h2>\n") } else { String::new() };
            format!("{heading}<p>{subject} number {n}.{number} went on for longer than anyone had thought, <a href=\"/note/{n}\">as the notes say</a>, and &ldquo;nothing&rdquo; came of it &mdash; until the {n}th day, when everything changed at once.</p>\n")
        })
        .collect();
    let html = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Article {number} | The Site</title>\
         <meta property=\"article:published_time\" content=\"2025-03-{:02}T10:00:00Z\"><script>{script}</script></head>\
         <body class=\"single post-{number}\"><header class=\"site-header\"><nav><ul>{menu}</ul></nav></header>\
         <main><article class=\"post\"><h1>Article {number}</h1><p class=\"byline\">By Jane Doe</p>\
         <div class=\"entry-content\">{paragraphs}<pre><code class=\"language-rust\">fn main() {{\n    println!(\"{number}\");\n}}</code></pre>\
         <table><tr><th>Name</th><th>Value</th></tr><tr><td>n</td><td>{number}</td></tr></table></div></article></main>\
         <aside class=\"related\"><h3>Related</h3><ul>{menu}</ul></aside><footer><p>© 2025 The Site. All rights reserved.</p></footer></body></html>",
        number % 28 + 1
    );
    Page {
        url: format!("https://example.com/articles/{number}")
            .parse()
            .unwrap(),
        html,
    }
}
