//! The files of `demo-site/`, in the program itself: the demo needs nothing but the command.

macro_rules! bundle {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../demo-site/", $folder, $name)))),*]
    };
}

/// The content of each page.
pub(super) const PAGES: &[(&str, &str)] = bundle!("pages/":
    "404.html",
    "about.html",
    "blog/a-lake-of-cold-air.html",
    "blog/a-winter-on-one-solar-cell.html",
    "blog/dew-point-before-humidity.html",
    "blog/index.html",
    "blog/pressure-at-a-sea-you-cannot-see.html",
    "blog/tags/wind.html",
    "blog/the-hour-that-happened-twice.html",
    "blog/thirty-eight-degrees-in-the-shade.html",
    "blog/ultrasound-or-cups.html",
    "blog/what-the-roof-does-to-the-wind.html",
    "blog/where-to-put-a-rain-gauge.html",
    "blog/why-gusts-last-three-seconds.html",
    "cart.html",
    "contact.html",
    "de/blog/achtunddreissig-grad-im-schatten.html",
    "de/blog/index.html",
    "de/blog/luftdruck-auf-meereshoehe.html",
    "de/blog/taupunkt-statt-luftfeuchte.html",
    "de/blog/ultraschall-oder-schalenkreuz.html",
    "de/blog/warum-boeen-drei-sekunden-dauern.html",
    "de/blog/wohin-mit-dem-regenmesser.html",
    "de/doku/erste-schritte.html",
    "de/doku/fehlersuche.html",
    "de/doku/montage.html",
    "de/impressum.html",
    "de/index.html",
    "de/kontakt.html",
    "de/produkte/hub.html",
    "de/produkte/index.html",
    "de/produkte/regen.html",
    "de/produkte/station-4.html",
    "de/produkte/wind.html",
    "de/ueber-uns.html",
    "docs/calibration.html",
    "docs/data-format.html",
    "docs/firmware-changelog.html",
    "docs/getting-started.html",
    "docs/http-api.html",
    "docs/mounting.html",
    "docs/mqtt.html",
    "docs/troubleshooting.html",
    "index.html",
    "products/hub.html",
    "products/index.html",
    "products/mini.html",
    "products/rain.html",
    "products/station-3.html",
    "products/station-4.html",
    "products/wind.html",
    "thanks.html",
);

/// Files that are taken as they are.
pub(super) const FILES: &[(&str, &str)] = bundle!("":
    "assets/css/main.css",
    "assets/img/hub.svg",
    "assets/img/icon.svg",
    "assets/img/mini.svg",
    "assets/img/rain.svg",
    "assets/img/station-3.svg",
    "assets/img/station-4.svg",
    "assets/img/wind.svg",
    "assets/js/main.js",
    "robots.txt",
);

/// What stands around the content, by language.
pub(super) const SHELLS: [(&str, &str); 2] = [
    ("en", include_str!("../../../demo-site/shell.en.html")),
    ("de", include_str!("../../../demo-site/shell.de.html")),
];
