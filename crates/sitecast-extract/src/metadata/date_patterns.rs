//! The orders in which day, month and year come.

use super::months::month;

/// What `05/06/2024` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The sixth of May, as in the United States.
    MonthFirst,
    /// The fifth of June, as everywhere else.
    DayFirst,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'t> {
    /// A number and how many digits it has.
    Number(i64, usize),
    Word(&'t str),
    Space,
    Sign(char),
}

/// The numbers of a text, merely counted: most texts with digits have no date, which this tells without taking
/// them apart.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DigitRuns {
    runs: usize,
    /// One of four digits.
    has_year: bool,
    /// `'24`
    has_apostrophe: bool,
}

impl DigitRuns {
    pub(super) fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut length = 0;
        for byte in text.bytes() {
            if byte.is_ascii_digit() {
                length += 1;
                continue;
            }
            found.end_run(length);
            length = 0;
            // The second is the first byte of a curled one.
            found.has_apostrophe |= matches!(byte, b'\'' | 0xe2);
        }
        found.end_run(length);
        found
    }

    fn end_run(&mut self, length: usize) {
        self.runs += usize::from(length > 0);
        self.has_year |= length == 4;
    }

    /// Every date for people has a year of four digits, or is three numbers, or has a year after an apostrophe.
    pub(super) fn may_be_date(self) -> bool {
        self.has_year || self.runs >= 3 || (self.runs >= 2 && self.has_apostrophe)
    }

    /// Whether there may be a date that tells in which order the numbers come.
    pub(super) fn may_show_order(self) -> bool {
        self.has_year && self.runs >= 3
    }
}

/// A text as numbers, words, spaces and signs.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    tokens: Vec<(Token<'t>, usize, usize)>,
    /// Eight digits in a row are a date only where machines wrote them.
    for_machines: bool,
}

/// A date that the tokens up to `end` spell, if there is such a day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelled {
    pub(super) end: usize,
    /// Year, month, day.
    pub(super) day: (i64, i64, i64),
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut tokens = Vec::new();
        let mut rest = text;
        let mut start = 0;
        while let Some(first) = rest.chars().next() {
            let run = |like: fn(char) -> bool| rest.find(|c| !like(c)).unwrap_or(rest.len());
            let length = if first.is_ascii_digit() {
                run(|c| c.is_ascii_digit())
            } else if first.is_alphabetic() {
                run(char::is_alphabetic)
            } else if first.is_whitespace() {
                run(char::is_whitespace)
            } else {
                first.len_utf8()
            };
            let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            let token = if first.is_ascii_digit() {
                Token::Number(piece.parse().unwrap_or(i64::MAX), piece.len())
            } else if first.is_alphabetic() {
                Token::Word(piece)
            } else if first.is_whitespace() {
                Token::Space
            } else {
                Token::Sign(first)
            };
            tokens.push((token, start, start + length));
            start += length;
            rest = after;
        }
        Self {
            tokens,
            for_machines: false,
        }
    }

    pub(super) fn for_machines(text: &'t str) -> Self {
        Self {
            for_machines: true,
            ..Self::of(text)
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// From which byte to which the tokens go.
    pub(super) fn span(&self, from: usize, to: usize) -> (usize, usize) {
        let start = self.tokens.get(from).map_or(0, |(_, start, _)| *start);
        let end = to
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last))
            .map_or(start, |(_, _, end)| *end);
        (start, end)
    }

    /// The order that the first date tells which has a day after the twelfth.
    pub(super) fn order(&self) -> Option<Order> {
        (0..self.len()).find_map(|at| {
            let (first, sign, second, next) = self.two_numbers(at)?;
            let dated = sign != '.'
                && self.year(next).is_some()
                && self.before(at) != Some(Token::Sign(sign));
            match (first, second) {
                (13..=31, 1..=12) if dated => Some(Order::DayFirst),
                (1..=12, 13..=31) if dated => Some(Order::MonthFirst),
                _ => None,
            }
        })
    }

    /// What dates the tokens from `at` on may spell, the likeliest first.
    pub(super) fn dates_at(&self, at: usize, order: Order) -> impl Iterator<Item = Spelled> {
        let patterns: [Option<Spelled>; 8] = match self.token(at) {
            Some(Token::Number(..)) => [
                self.year_month_day(at),
                self.east_asian(at),
                self.day_name_year(at),
                self.year_name_day(at),
                self.day_month_year(at, order),
                self.day_month_short_year(at, order),
                self.eight_digits(at),
                None,
            ],
            Some(Token::Word(_)) => [
                self.name_day_year(at),
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            ],
            _ => [None; 8],
        };
        patterns.into_iter().flatten()
    }

    fn token(&self, at: usize) -> Option<Token<'t>> {
        self.tokens.get(at).map(|(token, _, _)| *token)
    }

    fn before(&self, at: usize) -> Option<Token<'t>> {
        self.token(at.checked_sub(1)?)
    }

    fn sign(&self, at: usize, among: &[char]) -> Option<char> {
        match self.token(at)? {
            Token::Sign(sign) if among.contains(&sign) => Some(sign),
            _ => None,
        }
    }

    /// Past the token if it is this one.
    fn skip(&self, at: usize, like: impl Fn(Token<'t>) -> bool) -> usize {
        at + usize::from(self.token(at).is_some_and(like))
    }

    fn skip_space(&self, at: usize) -> usize {
        self.skip(at, |token| token == Token::Space)
    }

    fn year(&self, at: usize) -> Option<i64> {
        match self.token(at)? {
            Token::Number(year, 4) if (1900..2100).contains(&year) => Some(year),
            _ => None,
        }
    }

    /// A number of one or two digits.
    fn small(&self, at: usize) -> Option<i64> {
        match self.token(at)? {
            Token::Number(number, 1 | 2) => Some(number),
            _ => None,
        }
    }

    /// The month that a word names. There are hundreds of names: what costs less is asked before.
    fn month(&self, at: usize) -> Option<i64> {
        match self.token(at)? {
            Token::Word(word) if word.len() <= 40 => {
                month(word).or_else(|| month(&word.to_lowercase()))
            }
            _ => None,
        }
    }

    /// Past the name of a month and its full stop.
    fn after_name(&self, at: usize) -> usize {
        self.skip(at + 1, |token| token == Token::Sign('.'))
    }

    /// Past `st`, `nd`, `er`, `º` or a full stop after a day.
    fn skip_ordinal(&self, at: usize) -> usize {
        self.skip(at, |token| match token {
            Token::Word(word) => matches!(
                word.to_lowercase().as_str(),
                "st" | "nd" | "rd" | "th" | "er" | "º" | "ª" | "o"
            ),
            Token::Sign(sign) => matches!(sign, '.' | 'º' | 'ª' | '°'),
            _ => false,
        })
    }

    /// Past spaces and these signs; `None` if there are none.
    fn past_gap(&self, at: usize, signs: &[char]) -> Option<usize> {
        let mut end = at;
        while end < at + 4
            && (self.token(end) == Some(Token::Space) || self.sign(end, signs).is_some())
        {
            end += 1;
        }
        (end > at).then_some(end)
    }

    /// Past a word such as `de` and the space after it.
    fn skip_of(&self, at: usize) -> usize {
        match (self.token(at), self.token(at + 1)) {
            (Some(Token::Word(word)), Some(Token::Space))
                if matches!(
                    word.to_lowercase().as_str(),
                    "de" | "del" | "of" | "di" | "d"
                ) =>
            {
                at + 2
            }
            _ => at,
        }
    }

    /// `2024-05-17`, `2024/5/17`, `2024. 5. 17`
    fn year_month_day(&self, at: usize) -> Option<Spelled> {
        let year = self.year(at)?;
        let sign = self.sign(at + 1, &['-', '/', '.'])?;
        let next = if sign == '.' {
            self.skip_space(at + 2)
        } else {
            at + 2
        };
        let month = self.small(next)?;
        let sign = self.sign(next + 1, &['-', '/', '.'])?;
        let next = if sign == '.' {
            self.skip_space(next + 2)
        } else {
            next + 2
        };
        Some(Spelled {
            end: next + 1,
            day: (year, month, self.small(next)?),
        })
    }

    /// `2024年5月17日`, `2024년 5월 17일`
    fn east_asian(&self, at: usize) -> Option<Spelled> {
        let unit = |at: usize, names: [char; 2]| {
            let at = self.skip_space(at);
            match self.token(at)? {
                Token::Word(word) if word.starts_with(names) => Some(self.skip_space(at + 1)),
                _ => None,
            }
        };
        let year = self.year(at)?;
        let next = unit(at + 1, ['年', '년'])?;
        let month = self.small(next)?;
        let next = unit(next + 1, ['月', '월'])?;
        let day = self.small(next)?;
        unit(next + 1, ['日', '일'])?;
        Some(Spelled {
            end: next + 1,
            day: (year, month, day),
        })
    }

    /// `17 May 2024`, `17. Mai 2024`, `17 de mayo de 2024`, `17-May-2024`
    fn day_name_year(&self, at: usize) -> Option<Spelled> {
        let day = self.small(at)?;
        let next = self.past_gap(self.skip_ordinal(at + 1), &['-', '/'])?;
        let name = self.skip_of(next);
        let next = self.past_gap(self.after_name(name), &['-', ',', '/'])?;
        let next = self.skip_of(next);
        let year = self.year(next)?;
        Some(Spelled {
            end: next + 1,
            day: (year, self.month(name)?, day),
        })
    }

    /// `2024, May 17`, `2024. május 17.`
    fn year_name_day(&self, at: usize) -> Option<Spelled> {
        let year = self.year(at)?;
        if matches!(self.before(at), Some(Token::Word(_))) {
            return None;
        }
        let name = self.past_gap(at + 1, &[',', '.', '-'])?;
        let next = self.past_gap(self.after_name(name), &['-'])?;
        let day = self.small(next)?;
        Some(Spelled {
            end: next + 1,
            day: (year, self.month(name)?, day),
        })
    }

    /// `May 17, 2024`, `May 17th 2024`, `May 17 ’24`
    fn name_day_year(&self, at: usize) -> Option<Spelled> {
        if matches!(self.before(at), Some(Token::Number(..) | Token::Sign('_'))) {
            return None;
        }
        let next = self.past_gap(self.after_name(at), &['-'])?;
        let day = self.small(next)?;
        let month = self.month(at)?;
        let next = self.skip_ordinal(next + 1);
        let next = self.past_gap(next, &[',', '-']).unwrap_or(next);
        if self.sign(next, &['\'', '’']).is_some()
            && let Some(Token::Number(year, 2)) = self.token(next + 1)
        {
            return Some(Spelled {
                end: next + 2,
                day: (2000 + year, month, day),
            });
        }
        Some(Spelled {
            end: next + 1,
            day: (self.year(next)?, month, day),
        })
    }

    /// `17.5.2024`, `5/17/2024`, `17-05-2024`
    fn day_month_year(&self, at: usize, order: Order) -> Option<Spelled> {
        let (first, sign, second, next) = self.two_numbers(at)?;
        if self.before(at) == Some(Token::Sign(sign)) {
            return None;
        }
        let year = self.year(next)?;
        let (month, day) = in_order(first, second, sign, order);
        Some(Spelled {
            end: next + 1,
            day: (year, month, day),
        })
    }

    /// `17.5.24`, `5/17/24`
    fn day_month_short_year(&self, at: usize, order: Order) -> Option<Spelled> {
        let (first, sign, second, next) = self.two_numbers(at)?;
        let Some(Token::Number(year, 2)) = self.token(next) else {
            return None;
        };
        let foreign = |token| matches!(token, Some(Token::Sign('/' | '.' | '$')));
        // `1.2.10.4` is a version. A full stop may end the sentence.
        let goes_on = foreign(self.token(next + 1))
            && matches!(self.token(next + 2), Some(Token::Number(..)));
        if sign == '-' || foreign(self.before(at)) || goes_on {
            return None;
        }
        let (month, day) = in_order(first, second, sign, order);
        Some(Spelled {
            end: next + 1,
            day: (2000 + year, month, day),
        })
    }

    /// Two small numbers with the same sign after each; a full stop may have a space after it.
    fn two_numbers(&self, at: usize) -> Option<(i64, char, i64, usize)> {
        let past = |sign, at| if sign == '.' { self.skip_space(at) } else { at };
        let first = self.small(at)?;
        let sign = self.sign(at + 1, &['.', '/', '-'])?;
        let next = past(sign, at + 2);
        let second = self.small(next)?;
        self.sign(next + 1, &[sign])?;
        Some((first, sign, second, past(sign, next + 2)))
    }

    /// `20240517`
    fn eight_digits(&self, at: usize) -> Option<Spelled> {
        match self.token(at)? {
            Token::Number(number, 8) if self.for_machines => Some(Spelled {
                end: at + 1,
                day: (number / 10_000, number / 100 % 100, number % 100),
            }),
            _ => None,
        }
    }
}

/// Month and day of two numbers.
fn in_order(first: i64, second: i64, sign: char, order: Order) -> (i64, i64) {
    let month_first = sign != '.' && order == Order::MonthFirst;
    if first > 12 || (second <= 12 && !month_first) {
        (second, first)
    } else {
        (first, second)
    }
}

#[cfg(test)]
mod tests;
