//! Media types by file extension.

/// Returns the value of `Content-Type` for a path.
pub(crate) fn of(path: &str) -> &'static str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let Some((_, extension)) = name.rsplit_once('.') else {
        return OTHER;
    };
    let extension = extension.to_ascii_lowercase();
    TYPES
        .iter()
        .find(|(names, _)| names.contains(&extension.as_str()))
        .map_or(OTHER, |&(_, kind)| kind)
}

/// Returns true for HTML and XHTML.
pub(crate) fn is_html(content_type: &str) -> bool {
    content_type.starts_with("text/html") || content_type.starts_with("application/xhtml+xml")
}

/// Returns true for text and other types that compress well.
pub(crate) fn is_compressible(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.starts_with("text/")
        || essence.ends_with("+xml")
        || essence.ends_with("+json")
        || matches!(
            essence,
            "application/json" | "application/xml" | "application/wasm" | "font/ttf" | "image/bmp"
        )
}

const OTHER: &str = "application/octet-stream";

const TYPES: &[(&[&str], &str)] = &[
    (&["html", "htm"], "text/html; charset=utf-8"),
    (&["xhtml"], "application/xhtml+xml"),
    (&["css"], "text/css; charset=utf-8"),
    (&["js", "mjs"], "text/javascript; charset=utf-8"),
    (&["json", "map"], "application/json"),
    (&["webmanifest"], "application/manifest+json"),
    (&["jsonld"], "application/ld+json"),
    (&["xml"], "application/xml"),
    (&["rss"], "application/rss+xml"),
    (&["atom"], "application/atom+xml"),
    (&["txt", "text"], "text/plain; charset=utf-8"),
    (&["md"], "text/markdown; charset=utf-8"),
    (&["csv"], "text/csv; charset=utf-8"),
    (&["vtt"], "text/vtt; charset=utf-8"),
    (&["ics"], "text/calendar; charset=utf-8"),
    (&["svg"], "image/svg+xml"),
    (&["png"], "image/png"),
    (&["jpg", "jpeg"], "image/jpeg"),
    (&["gif"], "image/gif"),
    (&["webp"], "image/webp"),
    (&["avif"], "image/avif"),
    (&["ico"], "image/x-icon"),
    (&["bmp"], "image/bmp"),
    (&["woff"], "font/woff"),
    (&["woff2"], "font/woff2"),
    (&["ttf"], "font/ttf"),
    (&["otf"], "font/otf"),
    (&["wasm"], "application/wasm"),
    (&["pdf"], "application/pdf"),
    (&["zip"], "application/zip"),
    (&["gz"], "application/gzip"),
    (&["zst"], "application/zstd"),
    (&["tar"], "application/x-tar"),
    (&["epub"], "application/epub+zip"),
    (&["mp3"], "audio/mpeg"),
    (&["ogg", "oga"], "audio/ogg"),
    (&["opus"], "audio/opus"),
    (&["wav"], "audio/wav"),
    (&["flac"], "audio/flac"),
    (&["m4a"], "audio/mp4"),
    (&["mp4", "m4v"], "video/mp4"),
    (&["webm"], "video/webm"),
    (&["mov"], "video/quicktime"),
    (&["parquet"], "application/vnd.apache.parquet"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_types_from_extensions() {
        assert_eq!(of("/a/index.HTML"), "text/html; charset=utf-8");
        assert_eq!(of("/a.b/file"), OTHER);
        assert_eq!(of("/x.js"), "text/javascript; charset=utf-8");
        assert!(is_html(of("x.xhtml")) && !is_html(of("x.xml")));
    }

    #[test]
    fn compresses_text_but_not_compressed_formats() {
        for name in [
            "x.html",
            "x.xhtml",
            "x.css",
            "x.js",
            "x.svg",
            "x.json",
            "x.webmanifest",
            "x.rss",
        ] {
            assert!(is_compressible(of(name)), "{name}");
        }
        for name in ["x.png", "x.woff2", "x.zip", "x.gz", "x.pdf", "x.mp4", "x"] {
            assert!(!is_compressible(of(name)), "{name}");
        }
    }
}
