use super::{blocks_of, page};
use sitecast_scp::{Audio, Block, Video};

fn video(html: &str) -> Video {
    let video = blocks_of(html).into_iter().find_map(|block| match block {
        Block::Video(video) => Some(video),
        _ => None,
    });
    video.unwrap()
}

fn audio(html: &str) -> Audio {
    let audio = blocks_of(html).into_iter().find_map(|block| match block {
        Block::Audio(audio) => Some(audio),
        _ => None,
    });
    audio.unwrap()
}

#[test]
fn reads_all_metadata_of_a_video() {
    let found = video(
        "<video poster=/p.jpg width=640 height=360 title=Tour data-duration=95>\
         <source src=/v.mp4 type='video/mp4; codecs=\"x\"'><source src=/v.webm>\
         <track kind=captions src=/en.vtt srclang=en label=English><track src=/de.vtt srclang=de>\
         <track kind=chapters src=/c.vtt>Your browser is old. <a href=/v.mp4>Download</a></video>",
    );
    assert_eq!(
        serde_json::to_value(Block::Video(found)).unwrap(),
        serde_json::json!({
            "type": "video",
            "name": "Tour",
            "url": [
                {"href": "https://example.com/v.mp4", "mediaType": "video/mp4"},
                {"href": "https://example.com/v.webm", "mediaType": "video/webm"},
            ],
            "duration": "PT1M35S",
            "width": 640,
            "height": 360,
            "icon": {"type": "Image", "url": "https://example.com/p.jpg"},
            "captions": [
                {"language": "en", "url": "https://example.com/en.vtt", "label": "English"},
                {"language": "de", "url": "https://example.com/de.vtt", "label": "de"},
            ],
        })
    );
}

#[test]
fn names_players_by_caption_heading_or_file() {
    assert_eq!(
        page(
            "<h2>Talk</h2><figure><video src=/v.mp4></video><figcaption>Cap</figcaption></figure>"
        ),
        ["h2: Talk", "video: Cap /v.mp4", "Cap"]
    );
    assert_eq!(
        page("<h2>Talk</h2><audio src=/a.mp3></audio>"),
        ["h2: Talk", "audio: Talk /a.mp3"]
    );
    assert_eq!(
        page(
            "<h2>Talk</h2><iframe title='YouTube video player' src='//www.youtube.com/embed/x'></iframe>"
        ),
        ["h2: Talk", "video: Talk https://www.youtube.com/embed/x"]
    );
    assert_eq!(
        page("<audio controls><source src=/x/a.mp3?t=1></audio>"),
        ["audio: a.mp3 /x/a.mp3?t=1"]
    );
    assert_eq!(page("<video src='blob:abc'></video>"), [""; 0]);
}

#[test]
fn reads_schema_org_beside_a_player() {
    let found = video(
        "<div itemscope itemtype='https://schema.org/VideoObject'><meta itemprop=name content=N>\
         <meta itemprop=duration content=PT2M><meta itemprop=thumbnailUrl content=/t.jpg>\
         <meta itemprop=description content=D><iframe src='https://www.youtube.com/embed/x'></iframe></div>",
    );
    assert_eq!(found.name, "N");
    assert_eq!(found.duration.unwrap().as_str(), "PT2M");
    assert_eq!(
        found.icon.unwrap().url.as_str(),
        "https://example.com/t.jpg"
    );
    assert_eq!(found.summary.unwrap(), "D");
}

#[test]
fn reads_only_known_hosts_in_frames_as_players() {
    for (src, kind) in [
        ("https://www.youtube.com/embed/abc?rel=0", "video"),
        ("//www.youtube-nocookie.com/embed/abc", "video"),
        ("https://player.vimeo.com/video/1", "video"),
        ("https://www.dailymotion.com/embed/video/x", "video"),
        ("https://www.tiktok.com/embed/v2/1", "video"),
        ("https://fast.wistia.net/embed/iframe/x", "video"),
        ("https://www.loom.com/embed/x", "video"),
        ("https://player.twitch.tv/?video=1", "video"),
        ("https://tube.example/videos/embed/x", "video"),
        ("https://cdn.example/v.mp4", "video"),
        ("https://w.soundcloud.com/player/?url=x", "audio"),
        ("https://open.spotify.com/embed/episode/x", "audio"),
        ("https://embed.podcasts.apple.com/us/podcast/x", "audio"),
        ("https://bandcamp.com/EmbeddedPlayer/album=1", "audio"),
    ] {
        let found = page(&format!("<iframe title=T src='{src}'></iframe>"));
        let url = src
            .strip_prefix("//")
            .map_or(src.to_owned(), |rest| format!("https://{rest}"));
        assert_eq!(found, [format!("{kind}: T {url}")]);
    }
    for src in [
        "https://ads.example/f",
        "https://notyoutube.com/embed/a",
        "https://www.google.com/maps/embed?x",
    ] {
        assert_eq!(page(&format!("<iframe src='{src}'></iframe>")), [""; 0]);
    }
}

#[test]
fn reads_lazy_frames_and_placeholders_as_players() {
    for html in [
        "<iframe src=about:blank data-src='https://www.youtube.com/embed/a-1' title=T></iframe>",
        "<lite-youtube videoid=a-1 playlabel=T><a href='https://youtu.be/a-1'>T</a></lite-youtube>",
        "<div class=rll-youtube-player data-id=a-1 title=T></div>",
        "<object data='https://www.youtube.com/embed/a-1' title=T><p>old</p></object>",
    ] {
        assert_eq!(
            page(html),
            ["video: T https://www.youtube.com/embed/a-1"],
            "{html}"
        );
    }
    assert_eq!(
        page("<div class='wistia_embed wistia_async_abc1 x'></div>"),
        ["video: Wistia https://fast.wistia.net/embed/iframe/abc1"]
    );
}

#[test]
fn moves_a_transcript_into_the_player_before_it() {
    let html = "<audio src=/a.mp3 title=A></audio><details><summary>Transcript</summary>\
                <p>Ann: Hi</p><p>Ben: Hello</p></details><p>After</p>";
    assert_eq!(audio(html).transcript.unwrap(), "Ann: Hi\n\nBen: Hello");
    assert_eq!(page(html), ["audio: A /a.mp3", "After"]);
    let html = "<video src=/v.mp4 title=V></video><div class=video-transcript><h3>Transcript</h3><p>Hi</p></div>";
    assert_eq!(video(html).transcript.unwrap(), "Hi");
    // A transcript with headings of its own belongs to the page.
    let html = "<audio src=/a.mp3 title=A></audio><div id=transcript><h2>One</h2><p>Hi</p></div>";
    assert_eq!(page(html), ["audio: A /a.mp3", "h2: One", "Hi"]);
    // Without a player nearby it is text.
    assert_eq!(page("<div class=transcript><p>Hi</p></div>"), ["Hi"]);
}

#[test]
fn reads_a_list_of_times_as_chapters() {
    let html =
        "<video src=/v.mp4 title=V></video><ul><li>0:00 Intro<li>(1:05) – Main<li>1:00:00 End</ul>";
    let chapters: Vec<_> = video(html)
        .chapters
        .into_iter()
        .map(|chapter| (chapter.time, chapter.title))
        .collect();
    assert_eq!(
        chapters,
        [
            (0, "Intro".to_owned()),
            (65, "Main".to_owned()),
            (3600, "End".to_owned())
        ]
    );
    // A timetable has no chapters.
    assert_eq!(
        page("<video src=/v.mp4 title=V></video><ul><li>9:00 Doors<li>10:00 Talk</ul>"),
        ["video: V /v.mp4", "ul: 9:00 Doors / 10:00 Talk"]
    );
}
