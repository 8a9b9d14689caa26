//! Pages that are a form to log in with: what a visitor gets in place of a page that is not for everybody.
//!
//! Many sites have such a form beside the content of every page. So a page is a login page only if there is
//! hardly anything else on it, and the form is not in a part that all pages have.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use lol_html::html_content::Element;
use lol_html::{HandlerResult, HtmlRewriter, MemorySettings, Settings, doc_text, element};
use url::Url;

/// Words beside the form that a login page has at most.
const WORDS: usize = 25;
/// The same for a page whose address says that it is one: `/login`.
const WORDS_BY_NAME: usize = 120;
const MEMORY: usize = 4 << 20;
/// Places of login pages that are remembered.
const PLACES: usize = 1_000;

/// The last part of the path of a login page, in lower case and without its ending.
const NAMES: [&str; 22] = [
    "login",
    "log-in",
    "log_in",
    "signin",
    "sign-in",
    "sign_in",
    "logon",
    "wp-login",
    "signup",
    "sign-up",
    "sign_up",
    "register",
    "authenticate",
    "anmelden",
    "connexion",
    "inicio-sesion",
    "iniciar-sesion",
    "accedi",
    "inloggen",
    "aanmelden",
    "logowanie",
    "sso",
];

/// Parts that all pages of a site have, or that are not shown before somebody asks for them.
const BESIDE: &str = "header, nav, aside, footer, dialog, [hidden], [role=dialog], [role=banner], \
    [class*=header i], [class*=navbar i], [class*=sidebar i], [class*=modal i], [class*=popup i], \
    [class*=dropdown i], [class*=topbar i], [class*=offcanvas i], [class*=menu i], [class*=footer i], \
    [id*=header i], [id*=navbar i], [id*=sidebar i], [id*=modal i], [id*=popup i], [id*=dropdown i], \
    [id*=topbar i], [id*=menu i], [id*=footer i]";
/// Text that nobody reads as content.
const UNREAD: &str = "script, style, noscript, template, title, svg, select, button, option";

/// Whether the page is a form to log in with, and hardly anything else.
pub(super) fn is_login(html: &[u8], url: &str) -> bool {
    let asks = html
        .windows(b"password".len())
        .any(|part| part.eq_ignore_ascii_case(b"password"));
    if !asks {
        return false;
    }
    let seen = look(html);
    let by_name = Url::parse(url).is_ok_and(|url| is_named_so(&url));
    match seen.form {
        Form::None => false,
        Form::Beside => by_name && seen.words < WORDS_BY_NAME,
        Form::Content if by_name => seen.words < WORDS_BY_NAME,
        Form::Content => seen.words < WORDS,
    }
}

/// Whether its path says that a page is there to log in.
fn is_named_so(url: &Url) -> bool {
    let mut parts = url.path().rsplit('/').filter(|part| !part.is_empty());
    parts.next().is_some_and(|last| {
        let name = last.split('.').next().unwrap_or_default();
        NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Where the form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    None,
    /// In a part that all pages have.
    Beside,
    Content,
}

struct Look {
    form: Form,
    /// Words that are neither in the form nor in a part that all pages have.
    words: usize,
}

/// How deep in something the place is that is being read.
#[derive(Clone, Default)]
struct Depth(Rc<Cell<usize>>);

impl Depth {
    fn enter(&self, element: &mut Element<'_, '_>) -> HandlerResult {
        if let Some(handlers) = element.end_tag_handlers() {
            self.0.set(self.0.get() + 1);
            let depth = Rc::clone(&self.0);
            handlers.push(Box::new(move |_| {
                depth.set(depth.get().saturating_sub(1));
                Ok(())
            }));
        }
        Ok(())
    }

    fn is_in(&self) -> bool {
        self.0.get() > 0
    }
}

fn look(html: &[u8]) -> Look {
    let (beside, unread, in_form) = (Depth::default(), Depth::default(), Depth::default());
    let form = Cell::new(Form::None);
    let words = Cell::new(0);
    // A form is known to be one to log in with when its words were counted already.
    let form_words = Cell::new(0);
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_element_content_handler(element!(BESIDE, |element| beside.enter(element)))
        .append_element_content_handler(element!(UNREAD, |element| unread.enter(element)))
        .append_element_content_handler(element!("form", |element| {
            words.set(words.get() + form_words.replace(0));
            in_form.enter(element)
        }))
        .append_element_content_handler(element!("input[type=password i]", |_| {
            let found = if beside.is_in() {
                Form::Beside
            } else {
                Form::Content
            };
            if form.get() != Form::Content {
                form.set(found);
            }
            form_words.set(0);
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|text| {
            if !beside.is_in() && !unread.is_in() {
                let count = text.as_str().split_whitespace().count();
                let counter = if in_form.is_in() { &form_words } else { &words };
                counter.set(counter.get() + count);
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    let whole = rewriter.write(html).and_then(|()| rewriter.end());
    if whole.is_err() {
        // What cannot be looked at whole is kept.
        form.set(Form::None);
    }
    Look {
        form: form.get(),
        words: words.get(),
    }
}

/// Where login pages were found. One is linked from every page, with another `?next=…` each time.
#[derive(Default)]
pub(super) struct Logins(HashSet<String>);

impl Logins {
    pub(super) fn add(&mut self, url: &str) {
        if let Some(place) = place(url)
            && self.0.len() < PLACES
        {
            self.0.insert(place);
        }
    }

    /// Whether this is the same login page with something else in its query.
    pub(super) fn is_another(&self, url: &str) -> bool {
        !self.0.is_empty() && place(url).is_some_and(|place| self.0.contains(&place))
    }
}

/// The URL without its query, if the path says that it is a login page.
fn place(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    is_named_so(&url).then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "<form action=/login method=post><label>User name <input name=user></label>\
        <label>Your password <input type=password name=secret></label>\
        <p>By logging in you agree to the terms of use, which are long and which nobody has read so far, \
        and to the storage of a cookie that remembers that you did so.</p>\
        <button>Log in</button></form>";
    const STUB: &str = "<p>Closed in winter.</p>";

    fn article() -> String {
        format!("<article>{}</article>", "Words about tea. ".repeat(60))
    }

    fn page(header: &str, content: &str) -> String {
        format!(
            "<!DOCTYPE html><html><head><title>The Site</title><style>p {{ color: red }}</style></head>\
             <body><header><a href=/>Home</a>{header}</header><main>{content}</main>\
             <footer>© The Site, all rights reserved</footer></body></html>"
        )
    }

    fn judge(path: &str, html: &str) -> bool {
        is_login(html.as_bytes(), &format!("https://example.com{path}"))
    }

    #[test]
    fn a_page_that_is_a_login_form_is_one_whatever_its_address() {
        let login = page(
            "",
            &format!("<h1>Log in</h1>{FORM}<a href=/forgot>Forgotten?</a>"),
        );
        for path in ["/login?next=/members/", "/wp-login.php", "/members/", "/"] {
            assert!(judge(path, &login), "{path}");
        }
        let shouted = login.replace("type=password", "TYPE='Password'");
        assert!(judge("/members/", &shouted));
        // One that is made by a script has no form around it.
        let bare = page(
            "",
            "<h1>Sign in</h1><input type=email><input type=password>",
        );
        assert!(judge("/account", &bare));
    }

    #[test]
    fn a_login_page_may_have_some_words_of_its_own_if_its_address_says_so() {
        let words = "Welcome back to the members' area of our club. ".repeat(8);
        let login = page("", &format!("<h1>Log in</h1><p>{words}</p>{FORM}"));
        assert!(judge("/login", &login));
        assert!(judge("/en/Sign-In/", &login));
        assert!(!judge("/about-the-club", &login));
    }

    #[test]
    fn content_beside_a_login_form_is_kept() {
        let article = article();
        for html in [
            page(FORM, &article),
            page("", &format!("{article}{FORM}")),
            page("", &format!("{FORM}{article}")),
            page(
                "",
                &format!("<div class='login-modal'>{FORM}</div>{article}"),
            ),
        ] {
            assert!(!judge("/tea/", &html), "{html}");
            assert!(
                !judge("/login", &html),
                "an article about logging in: {html}"
            );
        }
    }

    #[test]
    fn a_short_page_with_a_login_box_in_its_header_is_kept() {
        for html in [
            page(FORM, STUB),
            page("", &format!("<div id=TopBar>{FORM}</div>{STUB}")),
            page("", &format!("<dialog>{FORM}</dialog>{STUB}")),
            page(
                "",
                &format!("<div class='page-sidebar'>{FORM}</div><img src=a.jpg>"),
            ),
        ] {
            assert!(!judge("/winter/", &html), "{html}");
        }
        // And a page that only speaks of passwords.
        assert!(!judge(
            "/login",
            &page("", "<p>Choose a long password.</p>")
        ));
    }

    #[test]
    fn the_same_login_page_is_known_by_its_path() {
        let mut logins = Logins::default();
        logins.add("https://example.com/login?next=/a");
        logins.add("https://example.com/index.php?page=login");
        assert!(logins.is_another("https://example.com/login?next=/b"));
        assert!(!logins.is_another("https://example.com/index.php?page=tea"));
        assert!(!logins.is_another("https://example.com/en/login"));
    }
}
