//! Strategies for random pages with all features of the format.

use proptest::prelude::*;
use sitecast_scp::{
    Audio, Block, Caption, Chapter, Collection, HeadingLevel, HttpUrl, Icon, JsonObject,
    LanguageTag, MediaDuration, MediaLink, MediaUrl, Page, TextOrObject, Timestamp, Video,
};

/// Text with characters that are difficult for JSON, terminals and decoders.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~]{0,40}",
        2 => any::<String>(),
        1 => prop::sample::select(vec![
            "\"quoted\" \\ back", "line\nfeed\r\n\ttab", "\0\u{1}\u{1f}\u{7f}", "\u{2028}\u{2029}\u{feff}",
            "👩‍👧 漢字 नमस्ते שלום", "\u{fffd}\u{10ffff}", "</script>", "",
        ]).prop_map(str::to_owned),
    ]
}

pub(crate) fn url() -> impl Strategy<Value = HttpUrl> {
    let path = "[a-zA-Z0-9/_.~%2F-]{0,30}".prop_map(|path| path.replace('%', ""));
    (
        prop::bool::ANY,
        "[a-z]{1,10}\\.example",
        path,
        prop::option::of("[a-z0-9=&]{0,10}"),
    )
        .prop_map(|(secure, host, path, query)| {
            let scheme = if secure { "https" } else { "http" };
            let query = query.map(|query| format!("?{query}")).unwrap_or_default();
            HttpUrl::new(format!("{scheme}://{host}/{path}{query}")).unwrap()
        })
}

pub(crate) fn timestamp() -> impl Strategy<Value = Timestamp> {
    (
        -62_167_219_200i64..=253_402_300_799,
        prop::option::of(0u32..1_000_000_000),
    )
        .prop_map(|(seconds, nanos)| {
            let whole = Timestamp::from_unix_seconds(seconds).unwrap().to_string();
            match nanos {
                None => whole.parse().unwrap(),
                Some(nanos) => whole
                    .replace('Z', &format!(".{nanos:09}Z"))
                    .parse()
                    .unwrap(),
            }
        })
}

pub(crate) fn language() -> impl Strategy<Value = LanguageTag> {
    prop::sample::select(vec![
        "en",
        "de-CH",
        "zh-Hans",
        "sr-Latn-RS",
        "es-419",
        "de-CH-1996",
        "gsw",
        "en-us",
    ])
    .prop_map(|tag| LanguageTag::new(tag).unwrap())
}

fn json_object() -> impl Strategy<Value = JsonObject> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>()
            .prop_filter("JSON has finite numbers", |n| n.is_finite())
            .prop_map(Into::into),
        text().prop_map(Into::into),
    ];
    let value = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::btree_map(text(), value, 0..4)
        .prop_map(|map| JsonObject::from(map.into_iter().collect::<serde_json::Map<_, _>>()))
}

fn media_url() -> impl Strategy<Value = MediaUrl> {
    let link =
        (url(), text(), prop::option::of(text())).prop_map(|(href, media_type, rel)| MediaLink {
            href,
            media_type,
            rel,
        });
    prop_oneof![
        url().prop_map(MediaUrl::One),
        prop::collection::vec(link, 1..4).prop_map(MediaUrl::Several)
    ]
}

fn duration() -> impl Strategy<Value = MediaDuration> {
    prop_oneof![
        (0u64..1_000_000).prop_map(MediaDuration::from_seconds),
        prop::sample::select(vec!["PT1.5S", "PT0H0M0S", "PT90M"])
            .prop_map(|text| MediaDuration::new(text).unwrap()),
    ]
}

fn chapters() -> impl Strategy<Value = Vec<Chapter>> {
    prop::collection::vec(
        (0u64..1 << 53, text()).prop_map(|(time, title)| Chapter { time, title }),
        0..3,
    )
}

fn video() -> impl Strategy<Value = Video> {
    let caption = (text(), url(), text()).prop_map(|(language, url, label)| Caption {
        language,
        url,
        label,
    });
    (
        (
            text(),
            media_url(),
            prop::option::of(duration()),
            prop::option::of(0u64..1 << 53),
            prop::option::of(0u64..1 << 53),
        ),
        (
            prop::option::of(url()),
            prop::option::of(text()),
            prop::collection::vec(caption, 0..3),
            chapters(),
            prop::option::of(text()),
        ),
    )
        .prop_map(
            |(
                (name, url, duration, width, height),
                (icon, summary, captions, chapters, transcript),
            )| Video {
                name,
                url,
                duration,
                width,
                height,
                icon: icon.map(|url| Icon { url }),
                summary,
                captions,
                chapters,
                transcript,
            },
        )
}

fn audio() -> impl Strategy<Value = Audio> {
    let named = || {
        prop_oneof![
            text().prop_map(TextOrObject::Text),
            json_object().prop_map(TextOrObject::Object)
        ]
    };
    (
        (
            text(),
            media_url(),
            prop::option::of(duration()),
            prop::option::of(url()),
        ),
        (
            prop::option::of(text()),
            prop::option::of(named()),
            prop::option::of(named()),
            chapters(),
            prop::option::of(text()),
        ),
    )
        .prop_map(
            |(
                (name, url, duration, icon),
                (summary, attributed_to, part_of, chapters, transcript),
            )| Audio {
                name,
                url,
                duration,
                icon: icon.map(|url| Icon { url }),
                summary,
                attributed_to,
                part_of,
                chapters,
                transcript,
            },
        )
}

pub(crate) fn block() -> impl Strategy<Value = Block> {
    let texts = || prop::collection::vec(text(), 0..4);
    prop_oneof![
        4 => text().prop_map(|text| Block::Text { text }),
        2 => (1u8..=6, text()).prop_map(|(level, text)| Block::Heading { level: HeadingLevel::clamped(level), text }),
        1 => (url(), text(), texts()).prop_map(|(url, text, rel)| Block::Link { url, text, rel }),
        1 => (url(), text()).prop_map(|(url, alt)| Block::Image { url, alt }),
        1 => (any::<bool>(), texts()).prop_map(|(ordered, items)| Block::List { ordered, items }),
        1 => (prop::option::of(text()), text()).prop_map(|(language, code)| Block::Code { language, code }),
        1 => prop::collection::vec(texts(), 0..4).prop_map(|rows| Block::Table { rows }),
        1 => (text(), prop::option::of(text())).prop_map(|(text, citation)| Block::Quote { text, citation }),
        1 => video().prop_map(Block::Video),
        1 => audio().prop_map(Block::Audio),
    ]
}

pub(crate) fn page() -> impl Strategy<Value = Page> {
    (
        (
            url(),
            text(),
            text(),
            prop::option::of(text()),
            prop::option::of(timestamp()),
        ),
        (
            timestamp(),
            language(),
            prop::option::of(url()),
            prop::option::of(json_object()),
        ),
        prop::collection::vec(block(), 1..8),
    )
        .prop_map(
            |(
                (url, title, description, author, published),
                (modified, language, canonical, schema),
                content,
            )| Page {
                url,
                title,
                description,
                author,
                published,
                modified,
                language,
                canonical,
                schema,
                content,
                robots: Vec::new(),
            },
        )
}

/// Pages with different URLs, as in a collection.
pub(crate) fn pages() -> impl Strategy<Value = Vec<Page>> {
    prop::collection::vec(page(), 0..6).prop_map(|mut pages| {
        let mut seen = std::collections::HashSet::new();
        pages.retain(|page| seen.insert(page.url.clone()));
        pages
    })
}

pub(crate) fn collection() -> impl Strategy<Value = Collection> {
    let name = || "[a-zA-Z0-9_-]{1,20}".prop_map(|name| name.parse().unwrap());
    let since = prop::option::of((timestamp(), prop::collection::vec(url(), 0..3)));
    (name(), name(), timestamp(), since).prop_map(|(id, section, generated, since)| match since {
        Some((since, deleted)) if since <= generated => Collection {
            deleted,
            ..Collection::delta(id, section, generated, since)
        },
        _ => Collection::snapshot(id, section, generated),
    })
}
