use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::propose::Proposal;
use crate::config::Named;
use crate::config::table::settings;
use crate::failure::Failure;
use crate::output::plain::Plain;
use crate::output::{Output, Tone, Verbosity, human};

/// What became of the file.
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    pub(super) named: Named,
    pub(super) toml: &'a str,
    pub(super) is_written: bool,
}

/// Says what was found and written, and what to do next.
pub(super) fn write(
    proposal: &Proposal,
    file: &File<'_>,
    output: &mut Output,
) -> Result<(), Failure> {
    let next = next(proposal, file);
    if output.json {
        let report = json!({
            "version": 1,
            "file": file.path.display().to_string(),
            "written": file.is_written,
            "toml": (!file.is_written).then_some(file.toml),
            "generator": proposal.generator.as_ref().map(|(generator, by)| {
                json!({"name": generator.name, "seen_by": by})
            }),
            "source": proposal.source.as_ref().map(|source| source.display().to_string()),
            "built": proposal.is_built,
            "base_url": proposal.base.as_ref().map(|(base, _)| base.to_string()),
            "base_url_from": proposal.base.as_ref().map(|(_, from)| from),
            "pages": proposal.pages,
            "left_out": proposal.left_out,
            "languages": proposal.languages,
            "sections": proposal.sections,
            "exclude": proposal.exclude,
            "notes": proposal.notes,
            "next": next.iter().map(|(command, _)| command).collect::<Vec<_>>(),
        });
        writeln!(output.out(), "{report}")?;
        return Ok(());
    }
    if file.is_written {
        if output.verbosity > Verbosity::Quiet {
            words(proposal, file, &next, output)?;
        }
    } else {
        output.out().write_all(file.toml.as_bytes())?;
    }
    for note in &proposal.notes {
        output.note(note);
    }
    Ok(())
}

fn words(
    proposal: &Proposal,
    file: &File<'_>,
    next: &[(String, &'static str)],
    output: &mut Output,
) -> Result<(), Failure> {
    let first = match &proposal.generator {
        Some((generator, by)) if by == "its pages" => {
            format!("Built with {}, as its pages say", generator.name)
        }
        Some((generator, by)) => format!("Built with {}, as `{by}` shows", generator.name),
        None if proposal.is_built => "A site of HTML; what built it was not recognised".to_owned(),
        None => "No site was recognised here; the settings are the plain ones".to_owned(),
    };
    let mut lines = Vec::new();
    if let Some(source) = &proposal.source {
        let source = source.display();
        lines.push((
            "source",
            match proposal.is_built {
                true => format!(
                    "`{source}`, {}{}",
                    human::counted(proposal.pages, "page"),
                    match proposal.left_out {
                        0 => String::new(),
                        more => format!("; {} left out", human::counted(more, "file")),
                    }
                ),
                false => format!("`{source}`, not built yet"),
            },
        ));
    }
    if let Some((base, from)) = &proposal.base {
        let from = if from.contains(' ') {
            from.clone()
        } else {
            format!("`{from}`")
        };
        lines.push(("base URL", format!("{base}, from {from}")));
    }
    if proposal.languages.len() > 1 {
        lines.push(("languages", proposal.languages.join(", ")));
    }
    if proposal.is_built {
        let sections = proposal.sections.iter();
        let sections: Vec<String> = sections
            .map(|section| {
                format!(
                    "{} ({}, {})",
                    section.name,
                    human::count(section.pages),
                    section.update_freq
                )
            })
            .collect();
        let beside = if sections.is_empty() {
            String::new()
        } else {
            format!(", {}", sections.join(", "))
        };
        lines.push(("sections", format!("all{beside}")));
    }
    if !proposal.exclude.is_empty() {
        lines.push(("left out", proposal.exclude.join(", ")));
    }
    let title = output.paint(Tone::Strong, &Plain::line(&first).to_string());
    writeln!(output.out(), "{title}")?;
    for (name, words) in lines {
        writeln!(output.out(), "  {name:<10} {}", Plain::line(&words))?;
    }
    let wrote = format!(
        "Wrote `{}`, with a word on each of its {} settings",
        file.path.display(),
        settings().count()
    );
    writeln!(output.out(), "{}", Plain::line(&wrote))?;
    writeln!(output.out(), "\nNext:")?;
    let width = next
        .iter()
        .map(|(command, _)| command.chars().count())
        .max()
        .unwrap_or(0);
    for (command, why) in next {
        writeln!(
            output.out(),
            "  {:<width$}  {why}",
            Plain::line(command).to_string()
        )?;
    }
    Ok(())
}

/// What to run next, and why.
fn next(proposal: &Proposal, file: &File<'_>) -> Vec<(String, &'static str)> {
    let mut ending = String::new();
    if proposal.source.is_none() {
        ending.push_str(" FOLDER");
    }
    if proposal.base.is_none() {
        ending.push_str(" --base-url https://YOUR.SITE");
    }
    let config = match file.named {
        Named::Flag => format!(" --config {}", file.path.display()),
        Named::Variable | Named::Nobody => String::new(),
    };
    let mut next = Vec::new();
    if !proposal.is_built
        && let Some((generator, _)) = &proposal.generator
        && !generator.build.is_empty()
    {
        next.push((generator.build.to_owned(), "build the site"));
    }
    next.push((
        format!("sitecast publish --dry-run{ending}{config}"),
        "see what would be made; writes nothing",
    ));
    next.push((
        format!("sitecast publish{ending}{config}"),
        "make it, ready to upload",
    ));
    next.push((
        format!("sitecast serve{config}"),
        "look at it on http://127.0.0.1:8080/",
    ));
    next
}
