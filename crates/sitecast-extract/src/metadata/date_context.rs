//! What the words before a date say it is the date of.

/// More words than these are not asked for.
const MOST_WORDS: usize = 4;

/// The last words before a date, in lower case.
#[derive(Debug)]
pub(super) struct Context {
    /// From the last on.
    words: Vec<String>,
    copyright: bool,
}

impl Context {
    pub(super) fn of(before: &str) -> Self {
        let words = before
            .rsplit(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MOST_WORDS)
            .map(str::to_lowercase)
            .collect();
        let tail = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let copyright = before
            .get(tail.len()..)
            .is_some_and(|signs| signs.contains('©'));
        Self { words, copyright }
    }

    /// The word so many from the end.
    fn back(&self, at: usize) -> Option<&str> {
        debug_assert!(at < MOST_WORDS);
        self.words.get(at).map(String::as_str)
    }

    /// The page was changed then.
    pub(super) fn says_updated(&self) -> bool {
        let fillers = (0..2)
            .take_while(|at| {
                matches!(
                    self.back(*at),
                    Some("on" | "at" | "the" | "am" | "le" | "el" | "il" | "op" | "date" | "du")
                )
            })
            .count();
        (0..=fillers).any(|at| {
            self.back(at).is_some_and(|word| {
                [
                    "update",
                    "updated",
                    "modified",
                    "reviewed",
                    "edited",
                    "revised",
                    "edit",
                    "aktualisiert",
                    "actualizado",
                    "aggiornato",
                    "bijgewerkt",
                    "atualizado",
                    "обновлено",
                    "更新",
                    "geändert",
                ]
                .iter()
                .any(|ending| word.ends_with(ending))
                    || (word == "jour" && self.back(at + 1) == Some("à"))
            })
        })
    }

    /// The page appeared then.
    pub(super) fn says_published(&self) -> bool {
        (0..3).filter_map(|at| self.back(at)).any(|word| {
            word == "on"
                || word.starts_with("publi")
                || word.ends_with("date")
                || [
                    "posted",
                    "written",
                    "created",
                    "veröffentlicht",
                    "erstellt",
                    "asked",
                    "started",
                    "submitted",
                    "first",
                    "published",
                ]
                .iter()
                .any(|known| word.ends_with(known))
        })
    }

    /// Something else happened then.
    pub(super) fn says_something_else(&self) -> bool {
        let skip = usize::from(matches!(self.back(0), Some("on" | "by")));
        if self.copyright {
            return true;
        }
        let (Some(word), before) = (self.back(skip), self.back(skip + 1)) else {
            return false;
        };
        matches!(
            word,
            "release"
                | "released"
                | "releases"
                | "founded"
                | "born"
                | "joined"
                | "registered"
                | "expire"
                | "expires"
                | "valid"
                | "deadline"
                | "until"
                | "copyright"
                | "accessed"
                | "retrieved"
                | "start"
                | "starts"
                | "end"
                | "ends"
                | "arrives"
        ) || word.starts_with("deliver")
            || (word == "since" && before == Some("member"))
            || (matches!(
                word,
                "post" | "reply" | "activity" | "active" | "seen" | "comment"
            ) && matches!(before, Some("last" | "latest")))
            || (word == "date" && matches!(before, Some("release" | "released" | "event")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_of_dates() {
        for (before, updated, published, other) in [
            ("Last updated on ", true, true, false),
            ("Mis à jour le ", true, false, false),
            ("zuletzt aktualisiert am: ", true, false, false),
            ("Published: ", false, true, false),
            ("Posted by Jane on ", false, true, false),
            ("Veröffentlicht am ", false, true, false),
            ("© ", false, false, true),
            ("Member since ", false, false, true),
            ("Last post: ", false, false, true),
            ("Release date: ", false, true, true),
            ("Jane Doe, ", false, false, false),
            ("", false, false, false),
        ] {
            let context = Context::of(before);
            assert_eq!(context.says_updated(), updated, "{before}");
            assert_eq!(context.says_published(), published, "{before}");
            assert_eq!(context.says_something_else(), other, "{before}");
        }
    }
}
