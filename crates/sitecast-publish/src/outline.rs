//! The outline of a site, from the heads of its pages.

use std::collections::BTreeMap;
use std::time::SystemTime;

use sitecast_scp::{HttpUrl, Timestamp};
use sitecast_sitemap::Robots;

use crate::address::{Address, Style};
use crate::head::{Head, looks_like_html, scan_head};
use crate::keep_out::by_markup;
use crate::ordered::{cores, ordered};
use crate::source::{Item, Loaded, Raw, Source};
use crate::{BaseUrl, KeepOut, Progress, PublishError, Step, keep_out};

/// The outline of a site.
#[derive(Debug, Default)]
pub struct Outline {
    /// Pages that would be published, as far as their heads tell.
    pub pages: u64,
    /// Files that would not: redirects, second names, pages with `noindex`.
    pub left_out: u64,
    /// The generators that pages name, with the number of their pages.
    pub generators: BTreeMap<String, u64>,
}

/// One of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinedPage {
    /// Its path below the base, decoded: `/blog/first/`.
    pub path: String,
    /// The language that its markup states.
    pub language: Option<String>,
}

/// Goes over the pages of a source and hands each that would be published to `take`, in order.
///
/// It reads no more than heads, so what only a page's content tells is not known here. Nothing is
/// written.
pub fn outline(
    source: &dyn Source,
    base: &BaseUrl,
    progress: &dyn Progress,
    mut take: impl FnMut(OutlinedPage),
) -> Result<Outline, PublishError> {
    progress.begin(Step::List, None);
    let items = source.items()?;
    let robots = source.site_file("robots.txt")?.filter(|_| base.is_root());
    let robots = robots.map_or_else(Robots::default, |bytes| Robots::parse(&bytes));
    let mut outline = Outline {
        left_out: items.excluded.len() as u64,
        ..Outline::default()
    };
    progress.begin(Step::Learn, Some(items.len() as u64));
    let threads = cores();
    type Looked = Result<(Option<OutlinedPage>, Option<String>), PublishError>;
    let look = |item: Item<'_>| -> Looked {
        match source.load(item)? {
            Loaded::Excluded(_) => Ok((None, None)),
            Loaded::Page(page) => Ok((allowed(&page.url, base, &robots), None)),
            Loaded::Html(raw) => {
                let head = scan_head(&raw.bytes);
                let page = url(item, &raw, &head, base);
                let page = page.and_then(|url| allowed(&url, base, &robots));
                let page = page.map(|page| OutlinedPage {
                    language: head.language.clone(),
                    ..page
                });
                Ok((page, head.generator))
            }
        }
    };
    ordered(threads, items.iter(), look, |looked| {
        progress.advance(1);
        let (page, generator) = looked?;
        if let Some(generator) = generator {
            *outline.generators.entry(generator).or_default() += 1;
        }
        match page {
            Some(page) => {
                outline.pages += 1;
                take(page);
            }
            None => outline.left_out += 1,
        }
        Ok::<(), PublishError>(())
    })?;
    Ok(outline)
}

/// Returns the URL of a file, if it is a page that may be published.
fn url(item: Item<'_>, raw: &Raw, head: &Head, base: &BaseUrl) -> Option<HttpUrl> {
    let redirects = head
        .refresh
        .as_ref()
        .is_some_and(|refresh| refresh.url.is_some());
    let kept_out = keep_out::of_head(head, raw, KeepOut::Any, Timestamp::from(SystemTime::now()));
    if kept_out.reason.is_some()
        || redirects
        || !looks_like_html(&raw.bytes)
        || by_markup(&raw.bytes).is_some()
    {
        return None;
    }
    if let Some(url) = &raw.url {
        return Some(url.clone());
    }
    match Style::default().address(base, item.key, head.canonical.as_deref()) {
        Address::Here(url) => url.as_str().parse().ok(),
        Address::Elsewhere(_) => None,
    }
}

fn allowed(url: &HttpUrl, base: &BaseUrl, robots: &Robots) -> Option<OutlinedPage> {
    let path = base.path_of_page(url.as_str())?;
    robots
        .is_allowed("*", url.as_str())
        .then_some(OutlinedPage {
            path,
            language: None,
        })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::FolderSource;

    #[test]
    fn pages_are_told_from_what_is_none() {
        let folder = tempfile::tempdir().unwrap();
        for (name, html) in [
            (
                "index.html",
                "<html lang=en><meta name=generator content='Hugo 0.1'><title>A</title><p>x",
            ),
            ("zh/a/index.html", "<html lang=zh><title>A</title><p>x"),
            (
                "old.html",
                "<html><meta http-equiv=refresh content='0; url=/new'><title>A</title>",
            ),
            (
                "second.html",
                "<html><link rel=canonical href=https://example.com/first.html><title>A</title>",
            ),
            (
                "hidden.html",
                "<html><meta name=robots content='NOINDEX, follow'><title>A</title>",
            ),
            ("private/x.html", "<html><title>A</title><p>x"),
            ("404.html", "<html><title>A</title>"),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, html).unwrap();
        }
        fs::write(
            folder.path().join("robots.txt"),
            "User-agent: *\nDisallow: /private/",
        )
        .unwrap();
        let source = FolderSource::open(folder.path()).unwrap();
        let base = "https://example.com".parse().unwrap();
        let mut pages = Vec::new();
        let outline = outline(&source, &base, &(), |page| pages.push(page)).unwrap();
        let page = |path: &str, language: &str| OutlinedPage {
            path: path.to_owned(),
            language: Some(language.to_owned()),
        };
        assert_eq!(pages, [page("/", "en"), page("/zh/a/", "zh")]);
        assert_eq!((outline.pages, outline.left_out), (2, 5));
        assert_eq!(
            outline.generators,
            BTreeMap::from([("Hugo 0.1".to_owned(), 1)])
        );
    }
}
