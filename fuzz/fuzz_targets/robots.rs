#![no_main]

use sitecast_sitemap::Robots;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let robots = Robots::parse(data);
    let text = String::from_utf8_lossy(data);
    for line in text.lines().take(20) {
        let value = line.split(':').nth(1).unwrap_or(line).trim();
        let allowed = robots.is_allowed(value, value);
        // Only the path counts, and not how it is escaped.
        let url = format!("https://example.com/{}", value.trim_start_matches('/'));
        robots.is_allowed("sitecast/1.0", &url);
        assert_eq!(allowed, robots.is_allowed(value, value));
        robots.crawl_delay(value);
    }
    assert!(robots.is_allowed("sitecast", "https://example.com/robots.txt"));
    for sitemap in robots.sitemaps() {
        assert!(sitemap.starts_with("http"), "{sitemap}");
    }
    if robots.rule_count() == 0 {
        assert!(robots.is_allowed("sitecast", &text));
    }
});
