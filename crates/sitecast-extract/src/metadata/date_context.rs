//! The event of a date, judged by the words before it.

/// The number of words before a date that are looked at.
const MAX_WORDS: usize = 8;

/// The last words before a date, in lower case.
#[derive(Debug)]
pub(super) struct DateContext {
    /// The last word first.
    words: Vec<String>,
    /// For each word, true if it begins a line. [`TextNodes::before`](super::text_nodes::TextNodes::before) begins a line with
    /// each text node.
    begins_line: Vec<bool>,
    copyright: bool,
}

impl DateContext {
    pub(super) fn of(before: &str) -> Self {
        let (mut words, mut begins_line) = (Vec::new(), Vec::new());
        let mut end = before.len();
        while words.len() < MAX_WORDS {
            let rest = before.get(..end).unwrap_or_default();
            let rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
            if rest.is_empty() {
                break;
            }
            let start = rest.trim_end_matches(char::is_alphanumeric).len();
            words.push(rest.get(start..).unwrap_or_default().to_lowercase());
            let between = rest.get(..start).unwrap_or_default();
            let signs = between.trim_end_matches(|c: char| !c.is_alphanumeric());
            let signs = between.get(signs.len()..).unwrap_or_default();
            begins_line.push(signs.contains('\n') || signs.len() == between.len());
            end = start;
        }
        let tail = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let copyright = before
            .get(tail.len()..)
            .is_some_and(|signs| signs.contains('©'));
        Self {
            words,
            begins_line,
            copyright,
        }
    }

    /// Returns a word by its distance from the date: 0 is the last.
    fn back(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(String::as_str)
    }

    /// Returns true for the date of a change: `Last updated on`, `Zuletzt geändert von Jane Doe am`.
    pub(super) fn says_updated(&self) -> bool {
        let fillers = (0..MAX_WORDS)
            .take_while(|at| self.back(*at).is_some_and(is_filler))
            .count();
        (0..=fillers).any(|at| self.is_update(at)) || self.is_updated_by()
    }

    fn is_update(&self, at: usize) -> bool {
        let Some(word) = self.back(at) else {
            return false;
        };
        let before = self.back(at + 1);
        // `Update: May 7`, but not `Development Update May 7`.
        let is_label =
            || self.begins_line(at) || before.is_some_and(|word| is_last(word) || is_filler(word));
        is_update(word) && (!matches!(word, "update" | "updates" | "edit" | "changed") || is_label())
            || word.ends_with("updated")
            || word.ends_with("modified")
            || (word == "jour" && before == Some("à"))
            || (word == "nhật" && before == Some("cập"))
            || (word == "تحديث" && before == Some("آخر"))
            || (is_change(word) && before.is_some_and(is_last))
            // German `Stand: 7. Mai`, only directly before the date: elsewhere it means a place.
            || (at == 0 && word == "stand")
    }

    /// Returns true after `Updated by Jane Doe on`, with a name of at most four words.
    fn is_updated_by(&self) -> bool {
        (1..6).any(|at| {
            let is_by = self.back(at).is_some_and(|word| {
                matches!(
                    word,
                    "by" | "von" | "par" | "por" | "door" | "av" | "af" | "przez"
                )
            });
            // `Edited by Jane Doe, published on`
            let is_name =
                || (0..at).all(|at| !self.is_publication(at) && !self.begins_line(at + 1));
            // Many articles name people who reviewed or edited them before publication.
            let is_change = || {
                let word = self.back(at + 1);
                word.is_some_and(|word| !matches!(word, "reviewed" | "edited"))
            };
            is_by && is_change() && is_name() && self.is_update(at + 1)
        })
    }

    fn begins_line(&self, at: usize) -> bool {
        self.begins_line.get(at) == Some(&true)
    }

    /// Returns true for the date of publication.
    pub(super) fn says_published(&self) -> bool {
        (0..3).any(|at| self.back(at) == Some("on") || self.is_publication(at))
    }

    fn is_publication(&self, at: usize) -> bool {
        self.back(at).is_some_and(|word| {
            word.starts_with("publi")
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

    /// Returns true for the date of another event.
    pub(super) fn says_something_else(&self) -> bool {
        let skip = usize::from(matches!(self.back(0), Some("on" | "by")));
        if self.copyright || self.words.iter().any(|word| word == "copyright") {
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

/// Returns true for words between `updated` and the date.
fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "on" | "at"
            | "the"
            | "date"
            | "time"
            | "in"
            | "was"
            | "is"
            | "am"
            | "vom"
            | "datum"
            | "den"
            | "der"
            | "le"
            | "du"
            | "el"
            | "il"
            | "em"
            | "op"
            | "de"
            | "del"
            | "da"
            | "o"
            | "data"
            | "dnia"
            | "dne"
            | "dňa"
            | "kl"
            | "lúc"
            | "ngày"
            | "lần"
            | "cuối"
            | "на"
            | "в"
            | "от"
    )
}

/// Returns true for words that alone mean a change.
fn is_update(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "update",
        "updated",
        "updates",
        "modified",
        "reviewed",
        "edited",
        "revised",
        "edit",
        "changed",
        "aktualisiert",
        "aktualisierung",
        "geändert",
        "überarbeitet",
        "bearbeitet",
        "actualizado",
        "actualizada",
        "actualización",
        "modificado",
        "modificada",
        "actualisé",
        "actualisée",
        "modifié",
        "modifiée",
        "aggiornato",
        "aggiornata",
        "aggiornamento",
        "modificato",
        "modificata",
        "atualizado",
        "atualizada",
        "atualização",
        "bijgewerkt",
        "gewijzigd",
        "aangepast",
        "uppdaterad",
        "uppdaterades",
        "ändrad",
        "opdateret",
        "ændret",
        "oppdatert",
        "endret",
        "päivitetty",
        "muokattu",
        "uuendatud",
        "muudetud",
        "aktualizacja",
        "aktualizacji",
        "zaktualizowano",
        "zmodyfikowano",
        "aktualizováno",
        "aktualizace",
        "upraveno",
        "změněno",
        "aktualizované",
        "upravené",
        "zmenené",
        "frissítve",
        "frissítés",
        "módosítva",
        "módosítás",
        "güncelleme",
        "güncellendi",
        "güncellenme",
        "actualizat",
        "actualizare",
        "обновлено",
        "обновлён",
        "обновление",
        "обновления",
        "изменено",
        "изменён",
        "оновлено",
        "оновлення",
        "змінено",
        "актуализирано",
        "обновено",
        "ажурирано",
        "posodobljeno",
        "posodobitev",
        "ažurirano",
        "ažurirana",
        "ενημερώθηκε",
        "ενημέρωση",
        "diperbarui",
        "dikemaskini",
        "dikemas",
        "kemaskini",
        "אודכן",
        "עודכן",
        "עדכון",
        "atnaujinta",
        "atjaunināts",
        "actualitzat",
        "actualització",
    ];
    // Chinese, Japanese and Korean have no spaces between words.
    const PARTS: &[&str] = &["更新", "修改", "修訂", "修订", "업데이트", "수정"];
    WORDS.contains(&word) || PARTS.iter().any(|part| word.contains(part))
}

/// Returns true for words that mean a change after a word such as `last`.
fn is_change(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "change",
        "changes",
        "revision",
        "modification",
        "änderung",
        "bearbeitung",
        "modificación",
        "modifica",
        "modificação",
        "revisão",
        "wijziging",
        "bewerking",
        "ändring",
        "ændring",
        "endring",
        "muutos",
        "zmiana",
        "modyfikacja",
        "změna",
        "úprava",
        "zmena",
        "aktualizácia",
        "изменение",
        "изменения",
        "правка",
        "зміна",
        "промяна",
        "izmjena",
        "izmena",
        "değişiklik",
        "modificare",
        "perubahan",
        "diubah",
        "τροποποίηση",
        "generated",
        "built",
    ];
    WORDS.contains(&word)
}

fn is_last(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "last",
        "latest",
        "letzte",
        "zuletzt",
        "dernière",
        "última",
        "ultima",
        "laatste",
        "senaste",
        "seneste",
        "siste",
        "sidste",
        "viimeisin",
        "ostatnia",
        "ostatnio",
        "poslední",
        "posledná",
        "naposledy",
        "utolsó",
        "son",
        "последнее",
        "последние",
        "последняя",
        "остання",
        "останні",
        "последна",
        "zadnja",
        "poslednja",
        "terakhir",
        "τελευταία",
    ];
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_events_of_dates() {
        for (before, updated, published, other) in [
            ("Last updated on ", true, true, false),
            ("Mis à jour le ", true, false, false),
            ("Stand: ", true, false, false),
            ("Stand vom ", false, false, false),
            ("Stand by me, ", false, false, false),
            ("Zuletzt geändert von Jane Doe am ", true, false, false),
            ("Last modified by Jane Doe on ", true, true, false),
            ("Last change: ", true, false, false),
            ("Credit: ", false, false, false),
            ("Update: ", true, true, false),
            ("By Jane Doe\nUpdate\n", true, true, false),
            ("Development Update ", false, true, false),
            ("Updated by Jane Doe, published on ", false, true, false),
            ("Reviewed by Jane Doe\n", false, false, false),
            ("Dernière modification : ", true, false, false),
            ("Última atualização em ", true, false, false),
            ("Ultimo aggiornamento: ", true, false, false),
            ("Laatst gewijzigd op ", true, false, false),
            ("Ostatnia aktualizacja: ", true, false, false),
            ("Последнее изменение: ", true, false, false),
            ("Cập nhật lần cuối: ", true, false, false),
            ("最終更新日：", true, false, false),
            ("更新时间：", true, false, false),
            ("최종 수정일 ", true, false, false),
            ("Copyright Jane Doe, ", false, false, true),
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
            let context = DateContext::of(before);
            assert_eq!(context.says_updated(), updated, "{before}");
            assert_eq!(context.says_published(), published, "{before}");
            assert_eq!(context.says_something_else(), other, "{before}");
        }
    }
}
