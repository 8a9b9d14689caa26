//! docs/configuration.md, as far as it is made from the table of all settings.

use super::kind::Kind;
use super::setting::{Setting, Table, Usual};
use super::table::tables;

/// Everything between these two lines is made here.
pub(crate) const BEGIN: &str = "<!-- made from crates/sitecast/src/config/table: begin -->";
pub(crate) const END: &str = "<!-- end -->";

/// The reference of all settings.
pub(crate) fn render() -> String {
    let mut page = String::new();
    for table in tables() {
        render_table(&mut page, table);
    }
    page
}

fn render_table(page: &mut String, table: &Table) {
    let title = match table.key {
        "" => "Before the first table".to_owned(),
        _ => format!("`{}`", table.header()),
    };
    page.push_str(&format!("\n### {title}\n\n{}\n\n", table.about));
    page.push_str(
        "| setting | takes | without it | what it does | example |\n|---|---|---|---|---|\n",
    );
    for setting in table.settings {
        page.push_str(&row(setting));
    }
}

fn row(setting: &Setting) -> String {
    let usual = match setting.usual {
        Usual::Value(value) => format!("`{value}`"),
        Usual::Words(words) => words.to_owned(),
        Usual::Required => "has to be there".to_owned(),
    };
    let mut about = setting.about.to_owned();
    let before: Vec<String> = [setting.flag]
        .iter()
        .chain(setting.variables)
        .filter(|name| !name.is_empty())
        .map(|name| format!("`{name}`"))
        .collect();
    if !before.is_empty() {
        about.push_str(&format!(" Stronger: {}.", before.join(", ")));
    }
    let cells = [
        format!("`{}`", setting.name),
        takes(setting.kind),
        usual,
        about,
        format!("`{}`", setting.example),
    ];
    format!(
        "| {} |\n",
        cells.map(|cell| cell.replace('|', "\\|")).join(" | ")
    )
}

/// What a setting takes, in a few words.
fn takes(kind: Kind) -> String {
    match kind {
        Kind::Switch => "true, false".to_owned(),
        Kind::SwitchOr(names) => format!("true, false, {}", names.join(", ")),
        Kind::Text => "text".to_owned(),
        Kind::Path => "path".to_owned(),
        Kind::Place => "place".to_owned(),
        Kind::Base | Kind::Url | Kind::Link => "URL".to_owned(),
        Kind::Time => "time".to_owned(),
        Kind::Address => "address".to_owned(),
        Kind::Folder => "folder".to_owned(),
        Kind::Prefix => "path".to_owned(),
        Kind::Contact => "URL, e-mail".to_owned(),
        Kind::Whole { from, to } if to < u64::from(u32::MAX) => format!("{from} to {to}"),
        Kind::Whole { .. } => "whole number".to_owned(),
        Kind::Positive | Kind::NotNegative => "number".to_owned(),
        Kind::Choice(names) => names.join(", "),
        Kind::Choices(names) => format!("list of {}", names.join(", ")),
        Kind::Texts => "list of texts".to_owned(),
        Kind::Glob => "glob".to_owned(),
        Kind::Globs => "list of globs".to_owned(),
        Kind::Selectors => "list of CSS selectors".to_owned(),
        Kind::Networks => "list of addresses, networks".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `SITECAST_UPDATE_DOCS=1 cargo test -p sitecast the_reference` writes it anew.
    #[test]
    fn the_reference_in_the_documents_is_that_of_the_table() {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).unwrap();
        let (stands, after) = rest.split_once(END).unwrap();
        let made = format!("\n{}\n", render());
        if std::env::var_os("SITECAST_UPDATE_DOCS").is_some() {
            std::fs::write(&path, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
        } else {
            assert!(
                stands == made,
                "docs/configuration.md is not what the table says; SITECAST_UPDATE_DOCS=1 writes it anew"
            );
        }
    }
}
