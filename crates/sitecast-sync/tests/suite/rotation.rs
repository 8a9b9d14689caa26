//! Sites with more pages than one run fetches, and login pages.

use sitecast_testserver::Answer;

use crate::world::{MONDAY, TUESDAY, WEDNESDAY, World, html, words};

fn many(world: &World, count: usize) -> Vec<String> {
    let names: Vec<String> = (0..count).map(|n| format!("page-{n:02}/")).collect();
    for name in &names {
        world.page(name.trim_end_matches('/'), &words(name));
    }
    names
}

fn sitemap(world: &World, names: &[String]) {
    let url = |name: &String| format!("<url><loc>{}{name}</loc></url>", world.base);
    let urls: String = names.iter().map(url).collect();
    world.write("sitemap.xml", &format!("<urlset>{urls}</urlset>"));
}

#[test]
fn runs_go_through_all_pages_of_a_sitemap() {
    let mut world = World::empty();
    let names = many(&world, 20);
    sitemap(&world, &names);
    world.options.html_pages = 8;
    for (day, held) in [(MONDAY, 8), (TUESDAY, 16), (WEDNESDAY, 20)] {
        let report = world.sync(day);
        assert_eq!(world.held().len(), held, "{report:?}");
        assert!(
            report.warnings.join("\n").contains("the next run goes on"),
            "{report:?}"
        );
    }
    // Then the pages that were requested longest ago follow.
    world.server.take_log();
    world.sync("2026-01-08T10:00:00Z");
    let paths = world.server.take_paths();
    let asked = paths
        .iter()
        .filter(|path| path.starts_with("/page-"))
        .count();
    assert_eq!(asked, 8, "{paths:?}");
    assert!(paths.contains(&"/page-04/".to_owned()), "{paths:?}");
    // A new page is fetched in the next run, wherever it is listed.
    let mut names = names;
    names.insert(3, "fresh/".to_owned());
    world.page("fresh", &words("something new"));
    sitemap(&world, &names);
    world.sync("2026-01-09T10:00:00Z");
    assert!(world.paths().contains(&"/fresh/".to_owned()));
}

#[test]
fn incomplete_run_deletes_no_unseen_pages() {
    let mut world = World::empty();
    let names = many(&world, 10);
    sitemap(&world, &names);
    world.sync(MONDAY);
    world.options.html_pages = 3;
    let report = world.sync(TUESDAY);
    assert_eq!((report.pages.deleted, world.held().len()), (0, 10));
}

#[test]
fn runs_go_through_all_pages_that_links_lead_to() {
    let mut world = World::empty();
    let names = many(&world, 20);
    let links: String = names
        .iter()
        .map(|name| format!("<a href=/{name}>x</a>"))
        .collect();
    let home = html("Home", &words("the house"))
        .replace("<nav>", &format!("<nav>{links}"))
        .replace(
            "<a href=\"/tea/\">Tea</a> <a href=\"/coffee/\">Coffee</a>",
            "",
        );
    world.write("index.html", &home);
    for name in &names {
        let page = html(name, &words(name)).replace(
            "<a href=\"/tea/\">Tea</a> <a href=\"/coffee/\">Coffee</a>",
            "",
        );
        world.write(&format!("{name}index.html"), &page);
    }
    world.options.html_pages = 8;
    let mut held = 0;
    for day in 5..10 {
        world.sync(&format!("2026-01-{day:02}T10:00:00Z"));
        let now = world.held().len();
        assert!(now > held || now == 21, "{:?}", world.paths());
        held = now;
    }
    assert_eq!(held, 21, "{:?}", world.paths());
}

/// Unchanged pages would be answered with 304, without their links.
#[test]
fn finds_lost_links_again() {
    let mut world = World::unpublished();
    world.options.html_pages = 2;
    world.sync(MONDAY);
    assert_eq!(world.held().len(), 2);
    std::fs::remove_dir_all(world.here.path().join("scratch")).unwrap();
    world.options.html_pages = 100;
    world.sync(TUESDAY);
    assert_eq!(world.paths(), ["/", "/coffee/", "/tea/"]);
}

#[test]
fn leaves_out_login_pages_and_requests_them_once() {
    let world = World::unpublished();
    let login = "<!DOCTYPE html><title>Log in</title><main><h1>Log in</h1><form method=post>\
        <input name=user><input type=password name=secret><button>Log in</button></form></main>";
    world.intercept(move |request| match request.path.split('?').next() {
        Some("/login") => Some(Answer::html(login)),
        Some("/members/") => Some(Answer::redirect("/login?next=/members/")),
        Some("/" | "/tea/") => {
            let path = request.path.clone();
            let links = format!(
                "<nav><form><input type=password></form><a href='/login?next={path}'>Log in</a>\
                 <a href='/login?from={path}'>Sign in</a><a href=/members/>Members</a>"
            );
            Some(Answer::html(
                html("Tea", &words(&path)).replace("<nav>", &links),
            ))
        }
        _ => None,
    });
    let report = world.sync(MONDAY);
    assert_eq!(world.paths(), ["/", "/coffee/", "/tea/"], "{report:?}");
    assert!(
        report.warnings.join("\n").contains("it is a login form"),
        "{report:?}"
    );
    let paths = world.server.take_paths();
    let asked = paths.iter().filter(|path| path.starts_with("/login"));
    // The requests before the first was recognized as a login page, and the target of the redirect.
    assert!(asked.count() <= 4, "{paths:?}");
}
