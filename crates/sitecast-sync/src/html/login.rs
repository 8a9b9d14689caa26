//! Detection of login pages, which sites serve in place of pages that are not public.
//!
//! Many sites have a login form beside the content of every page. So a page is a login page only if it has little
//! other text, and the form is not in a part of the template.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use lol_html::html_content::Element;
use lol_html::{HandlerResult, HtmlRewriter, MemorySettings, Settings, doc_text, element};
use url::Url;

/// The most words of a login page outside of the form.
const WORDS: usize = 25;
/// The most words if the path of the URL names a login page, such as `/login`.
const WORDS_BY_NAME: usize = 120;
const MEMORY: usize = 4 << 20;
/// The most login pages of a site that are remembered.
const MAX_LOGINS: usize = 1_000;

/// The last path segments of login pages, in lower case and without the extension.
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

/// Parts of a site's template, and parts that are hidden at first.
const TEMPLATE_PARTS: &str = "header, nav, aside, footer, dialog, [hidden], [role=dialog], [role=banner], \
    [class*=header i], [class*=navbar i], [class*=sidebar i], [class*=modal i], [class*=popup i], \
    [class*=dropdown i], [class*=topbar i], [class*=offcanvas i], [class*=menu i], [class*=footer i], \
    [id*=header i], [id*=navbar i], [id*=sidebar i], [id*=modal i], [id*=popup i], [id*=dropdown i], \
    [id*=topbar i], [id*=menu i], [id*=footer i]";
/// Elements whose text is not content.
const NON_CONTENT: &str = "script, style, noscript, template, title, svg, select, button, option";

/// Returns true if the page is a login page.
pub(super) fn is_login(html: &[u8], url: &str) -> bool {
    let asks = html
        .windows(b"password".len())
        .any(|part| part.eq_ignore_ascii_case(b"password"));
    if !asks {
        return false;
    }
    let seen = scan(html);
    let by_name = Url::parse(url).is_ok_and(|url| is_named_so(&url));
    match seen.form {
        Form::None => false,
        Form::Template => by_name && seen.words < WORDS_BY_NAME,
        Form::Content if by_name => seen.words < WORDS_BY_NAME,
        Form::Content => seen.words < WORDS,
    }
}

/// Returns true if the path of a URL names a login page.
fn is_named_so(url: &Url) -> bool {
    let mut parts = url.path().rsplit('/').filter(|part| !part.is_empty());
    parts.next().is_some_and(|last| {
        let name = last.split('.').next().unwrap_or_default();
        NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// The place of the login form in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    None,
    /// In a part of the template.
    Template,
    Content,
}

struct FormScan {
    form: Form,
    /// The number of words outside of the form and the template.
    words: usize,
}

/// The nesting depth of the current position in elements of one kind.
#[derive(Clone, Default)]
struct NestingDepth(Rc<Cell<usize>>);

impl NestingDepth {
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

fn scan(html: &[u8]) -> FormScan {
    let (in_template, in_non_content, in_form) = (
        NestingDepth::default(),
        NestingDepth::default(),
        NestingDepth::default(),
    );
    let form = Cell::new(Form::None);
    let words = Cell::new(0);
    // The words of a form are counted apart until a password field shows that it is a login form.
    let form_words = Cell::new(0);
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_element_content_handler(
            element!(TEMPLATE_PARTS, |element| in_template.enter(element))
        )
        .append_element_content_handler(
            element!(NON_CONTENT, |element| in_non_content.enter(element))
        )
        .append_element_content_handler(element!("form", |element| {
            words.set(words.get() + form_words.replace(0));
            in_form.enter(element)
        }))
        .append_element_content_handler(element!("input[type=password i]", |_| {
            let found = if in_template.is_in() {
                Form::Template
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
            if !in_template.is_in() && !in_non_content.is_in() {
                let count = text.as_str().split_whitespace().count();
                let counter = if in_form.is_in() { &form_words } else { &words };
                counter.set(counter.get() + count);
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    let whole = rewriter.write(html).and_then(|()| rewriter.end());
    if whole.is_err() {
        // A page that cannot be parsed to its end is kept.
        form.set(Form::None);
    }
    FormScan {
        form: form.get(),
        words: words.get(),
    }
}

/// The login pages found so far. Every page may link to the same one with a different `?next=…`.
#[derive(Default)]
pub(super) struct Logins(HashSet<String>);

impl Logins {
    pub(super) fn add(&mut self, url: &str) {
        if let Some(place) = login_path(url)
            && self.0.len() < MAX_LOGINS
        {
            self.0.insert(place);
        }
    }

    /// Returns true if this is a known login page with another query.
    pub(super) fn is_known_login(&self, url: &str) -> bool {
        !self.0.is_empty() && login_path(url).is_some_and(|place| self.0.contains(&place))
    }
}

/// Returns the URL without its query if the path names a login page.
fn login_path(url: &str) -> Option<String> {
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
    fn detects_login_pages_at_any_url() {
        let login = page(
            "",
            &format!("<h1>Log in</h1>{FORM}<a href=/forgot>Forgotten?</a>"),
        );
        for path in ["/login?next=/members/", "/wp-login.php", "/members/", "/"] {
            assert!(judge(path, &login), "{path}");
        }
        let shouted = login.replace("type=password", "TYPE='Password'");
        assert!(judge("/members/", &shouted));
        // A form that a script builds may have no `form` element.
        let bare = page(
            "",
            "<h1>Sign in</h1><input type=email><input type=password>",
        );
        assert!(judge("/account", &bare));
    }

    #[test]
    fn login_urls_allow_more_words() {
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
        // The text mentions passwords, but there is no form.
        assert!(!judge(
            "/login",
            &page("", "<p>Choose a long password.</p>")
        ));
    }

    #[test]
    fn recognizes_a_login_page_by_its_path() {
        let mut logins = Logins::default();
        logins.add("https://example.com/login?next=/a");
        logins.add("https://example.com/index.php?page=login");
        assert!(logins.is_known_login("https://example.com/login?next=/b"));
        assert!(!logins.is_known_login("https://example.com/index.php?page=tea"));
        assert!(!logins.is_known_login("https://example.com/en/login"));
    }
}
