//! Recognition of dates in text, in many orders and spellings.

use super::months::month;

/// The order of day and month in `05/06/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateOrder {
    /// May 6, as in the United States.
    MonthFirst,
    /// 5 June, as in most other countries.
    DayFirst,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'t> {
    /// A number, and its number of digits.
    Number(i64, usize),
    Word(&'t str),
    Space,
    Sign(char),
}

/// Bit flags about the numbers in a text. Most texts with digits have no date; the flags show that without tokenizing them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NumberFlags(u8);

/// The size of a number, as far as it matters for dates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Size {
    /// One or two digits.
    Small,
    /// Four digits, from 1900 to 2099.
    Year,
    #[default]
    Other,
}

/// A number, and the full stop, slash or hyphen right after it, if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Number {
    size: Size,
    sign: Option<u8>,
}

impl NumberFlags {
    const ANY: u8 = 1;
    const SMALL: u8 = 2;
    const YEAR: u8 = 4;
    /// A small number with a full stop or a slash after it.
    const SIGNED: u8 = 8;
    /// `’24`
    const SHORT_YEAR: u8 = 16;
    /// A sequence of numbers that may be a date.
    const DATE: u8 = 32;
    /// A sequence of numbers that may show the order of day and month.
    const ORDER: u8 = 64;

    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        // Without an early exit, the compiler vectorises this loop.
        if !bytes
            .iter()
            .fold(false, |any, byte| any | byte.is_ascii_digit())
        {
            return found;
        }
        let mut last = [Number::default(); 2];
        let mut at = 0;
        while let Some(start) = digits_from(bytes, at) {
            let (before, rest) = bytes.split_at_checked(start).unwrap_or_default();
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, after) = rest.split_at_checked(length).unwrap_or_default();
            let number = Number::of(digits, after);
            found.add(last, number);
            if length == 2 && ends_in_apostrophe(before) {
                found.0 |= Self::SHORT_YEAR;
                if last[1].size == Size::Small {
                    found.0 |= Self::DATE;
                }
            }
            last = [last[1], number];
            at = start + length;
        }
        found
    }

    fn add(&mut self, [first, second]: [Number; 2], third: Number) {
        self.0 |= Self::ANY;
        match third.size {
            Size::Small => self.0 |= Self::SMALL,
            Size::Year => self.0 |= Self::YEAR,
            Size::Other => {}
        }
        if third.size == Size::Small && matches!(third.sign, Some(b'.' | b'/')) {
            self.0 |= Self::SIGNED;
        }
        let same_sign = first.sign.is_some() && first.sign == second.sign;
        match (first.size, second.size, third.size) {
            (Size::Small, Size::Small, Size::Year) => {
                self.0 |= Self::DATE;
                if same_sign {
                    self.0 |= Self::ORDER;
                }
            }
            (_, Size::Small, Size::Year) | (_, Size::Year, Size::Small) => self.0 |= Self::DATE,
            (Size::Small, Size::Small, Size::Small) if same_sign => self.0 |= Self::DATE,
            _ => {}
        }
    }

    pub(super) fn any(self) -> bool {
        self.0 & Self::ANY != 0
    }

    /// Returns true if there may be a date. Every date for people has a day next to a year of four digits, three small numbers
    /// with the same sign between them, or a day before a year with an apostrophe.
    pub(super) fn may_be_date(self) -> bool {
        self.0 & Self::DATE != 0
    }

    /// Returns true if a date may show the order of day and month.
    pub(super) fn may_show_order(self) -> bool {
        self.0 & Self::ORDER != 0
    }

    /// Returns true if texts with these numbers, joined by spaces, may be a date.
    pub(super) fn may_be_parts_of_date(self) -> bool {
        self.0 & Self::SMALL != 0 && self.0 & (Self::YEAR | Self::SIGNED | Self::SHORT_YEAR) != 0
    }

    /// Combines the flags of two texts.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Number {
    fn of(digits: &[u8], after: &[u8]) -> Self {
        Self {
            size: match digits {
                [_] | [_, _] => Size::Small,
                [b'1', b'9', _, _] | [b'2', b'0', _, _] => Size::Year,
                _ => Size::Other,
            },
            sign: after
                .first()
                .copied()
                .filter(|byte| matches!(byte, b'.' | b'/' | b'-')),
        }
    }
}

/// Returns the offset of the next digit.
fn digits_from(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    Some(at + rest.iter().position(u8::is_ascii_digit)?)
}

fn ends_in_apostrophe(before: &[u8]) -> bool {
    before.ends_with(b"'") || before.ends_with("’".as_bytes())
}

/// A text as numbers, words, spaces and signs.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    tokens: Vec<(Token<'t>, usize, usize)>,
    /// Accept eight digits in a row, which are a date only in text for machines.
    for_machines: bool,
}

/// A match of a date pattern up to the token `end`. The day may not exist.
#[derive(Debug, Clone, Copy)]
pub(super) struct DateMatch {
    pub(super) end: usize,
    /// Year, month, day.
    pub(super) day: (i64, i64, i64),
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        // Words and spaces alternate, and most words are longer than this estimate.
        let mut tokens = Vec::with_capacity(text.len() / 3 + 4);
        let mut rest = text;
        let mut start = 0;
        while let Some(first) = rest.chars().next() {
            let (token, length) = if first.is_ascii_digit() {
                let digits = run(rest, |byte| byte.is_ascii_digit(), |_| false);
                let number = digits.parse().unwrap_or(i64::MAX);
                (Token::Number(number, digits.len()), digits.len())
            } else if first.is_alphabetic() {
                let word = run(rest, |byte| byte.is_ascii_alphabetic(), char::is_alphabetic);
                (Token::Word(word), word.len())
            } else if first.is_whitespace() {
                let is_space = |byte: u8| char::from(byte).is_whitespace();
                let space = run(rest, is_space, char::is_whitespace);
                (Token::Space, space.len())
            } else {
                (Token::Sign(first), first.len_utf8())
            };
            tokens.push((token, start, start + length));
            start += length;
            rest = rest.get(length..).unwrap_or_default();
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

    /// Returns the byte range of the tokens `from..to`.
    pub(super) fn span(&self, from: usize, to: usize) -> (usize, usize) {
        let start = self.tokens.get(from).map_or(0, |(_, start, _)| *start);
        let end = to
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last))
            .map_or(start, |(_, _, end)| *end);
        (start, end)
    }

    /// Returns the order of the first date with a day after the twelfth.
    pub(super) fn order(&self) -> Option<DateOrder> {
        (0..self.len()).find_map(|at| {
            let (first, sign, second, next) = self.two_numbers(at)?;
            let dated = sign != '.'
                && self.year(next).is_some()
                && self.before(at) != Some(Token::Sign(sign));
            match (first, second) {
                (13..=31, 1..=12) if dated => Some(DateOrder::DayFirst),
                (1..=12, 13..=31) if dated => Some(DateOrder::MonthFirst),
                _ => None,
            }
        })
    }

    /// Iterates over the dates that the tokens from `at` may mean, the likeliest first.
    pub(super) fn dates_at(&self, at: usize, order: DateOrder) -> impl Iterator<Item = DateMatch> {
        let first = self.token(at);
        (0..3).filter_map(move |pattern| match (first?, pattern) {
            (Token::Number(_, 4), 0) => self.year_month_day(at),
            (Token::Number(_, 4), 1) => self.east_asian(at),
            (Token::Number(_, 4), 2) => self.year_name_day(at),
            (Token::Number(_, 1 | 2), 0) => self.day_name_year(at),
            (Token::Number(_, 1 | 2), 1) => self.day_month_year(at, order),
            (Token::Number(_, 1 | 2), 2) => self.day_month_short_year(at, order),
            (Token::Number(..), 0) => self.eight_digits(at),
            (Token::Word(_), 0) => self.name_day_year(at),
            _ => None,
        })
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

    /// Returns the position after the token if it matches.
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

    /// Returns a number of one or two digits.
    fn small(&self, at: usize) -> Option<i64> {
        match self.token(at)? {
            Token::Number(number, 1 | 2) => Some(number),
            _ => None,
        }
    }

    /// Returns the month that a word names. This lookup is slow, so callers check the numbers first.
    fn month(&self, at: usize) -> Option<i64> {
        match self.token(at)? {
            Token::Word(word) if word.len() <= 40 => {
                month(word).or_else(|| month(&word.to_lowercase()))
            }
            _ => None,
        }
    }

    /// Skips the name of a month and its full stop.
    fn after_name(&self, at: usize) -> usize {
        self.skip(at + 1, |token| token == Token::Sign('.'))
    }

    /// Skips `st`, `nd`, `er`, `º` or a full stop after a day.
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

    /// Skips spaces and these signs; `None` if there are none.
    fn past_gap(&self, at: usize, signs: &[char]) -> Option<usize> {
        let mut end = at;
        while end < at + 4
            && (self.token(end) == Some(Token::Space) || self.sign(end, signs).is_some())
        {
            end += 1;
        }
        (end > at).then_some(end)
    }

    /// Skips a word such as `de` and the space after it.
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
    fn year_month_day(&self, at: usize) -> Option<DateMatch> {
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
        Some(DateMatch {
            end: next + 1,
            day: (year, month, self.small(next)?),
        })
    }

    /// `2024年5月17日`, `2024년 5월 17일`
    fn east_asian(&self, at: usize) -> Option<DateMatch> {
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
        Some(DateMatch {
            end: next + 1,
            day: (year, month, day),
        })
    }

    /// `17 May 2024`, `17. Mai 2024`, `17 de mayo de 2024`, `17-May-2024`
    fn day_name_year(&self, at: usize) -> Option<DateMatch> {
        let day = self.small(at)?;
        let next = self.past_gap(self.skip_ordinal(at + 1), &['-', '/'])?;
        let name = self.skip_of(next);
        let next = self.past_gap(self.after_name(name), &['-', ',', '/'])?;
        let next = self.skip_of(next);
        let year = self.year(next)?;
        Some(DateMatch {
            end: next + 1,
            day: (year, self.month(name)?, day),
        })
    }

    /// `2024, May 17`, `2024. május 17.`
    fn year_name_day(&self, at: usize) -> Option<DateMatch> {
        let year = self.year(at)?;
        if matches!(self.before(at), Some(Token::Word(_))) {
            return None;
        }
        let name = self.past_gap(at + 1, &[',', '.', '-'])?;
        let next = self.past_gap(self.after_name(name), &['-'])?;
        let day = self.small(next)?;
        Some(DateMatch {
            end: next + 1,
            day: (year, self.month(name)?, day),
        })
    }

    /// `May 17, 2024`, `May 17th 2024`, `May 17 ’24`
    fn name_day_year(&self, at: usize) -> Option<DateMatch> {
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
            return Some(DateMatch {
                end: next + 2,
                day: (2000 + year, month, day),
            });
        }
        Some(DateMatch {
            end: next + 1,
            day: (self.year(next)?, month, day),
        })
    }

    /// `17.5.2024`, `5/17/2024`, `17-05-2024`
    fn day_month_year(&self, at: usize, order: DateOrder) -> Option<DateMatch> {
        let (first, sign, second, next) = self.two_numbers(at)?;
        if self.before(at) == Some(Token::Sign(sign)) {
            return None;
        }
        let year = self.year(next)?;
        let (month, day) = in_order(first, second, sign, order);
        Some(DateMatch {
            end: next + 1,
            day: (year, month, day),
        })
    }

    /// `17.5.24`, `5/17/24`
    fn day_month_short_year(&self, at: usize, order: DateOrder) -> Option<DateMatch> {
        let (first, sign, second, next) = self.two_numbers(at)?;
        let Some(Token::Number(year, 2)) = self.token(next) else {
            return None;
        };
        let foreign = |token| matches!(token, Some(Token::Sign('/' | '.' | '$')));
        // `1.2.10.4` is a version; a full stop alone ends a sentence.
        let goes_on = foreign(self.token(next + 1))
            && matches!(self.token(next + 2), Some(Token::Number(..)));
        if sign == '-' || foreign(self.before(at)) || goes_on {
            return None;
        }
        let (month, day) = in_order(first, second, sign, order);
        Some(DateMatch {
            end: next + 1,
            day: (2000 + year, month, day),
        })
    }

    /// Reads two small numbers with the same sign after each; a full stop may have a space after it.
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
    fn eight_digits(&self, at: usize) -> Option<DateMatch> {
        match self.token(at)? {
            Token::Number(number, 8) if self.for_machines => Some(DateMatch {
                end: at + 1,
                day: (number / 10_000, number / 100 % 100, number % 100),
            }),
            _ => None,
        }
    }
}

/// Returns the leading characters that match; ASCII characters are tested as bytes.
fn run(text: &str, ascii: impl Fn(u8) -> bool, other: impl Fn(char) -> bool) -> &str {
    let is_ascii = |byte: u8| byte.is_ascii() && ascii(byte);
    let mut length = text.bytes().take_while(|byte| is_ascii(*byte)).count();
    let rest = text.get(length..).unwrap_or_default();
    if !rest.bytes().next().is_none_or(|byte| byte.is_ascii()) {
        let is_in = |c: char| u8::try_from(c).is_ok_and(is_ascii) || (!c.is_ascii() && other(c));
        length += rest.find(|c| !is_in(c)).unwrap_or(rest.len());
    }
    text.get(..length).unwrap_or(text)
}

/// Returns month and day of two numbers.
fn in_order(first: i64, second: i64, sign: char, order: DateOrder) -> (i64, i64) {
    let month_first = sign != '.' && order == DateOrder::MonthFirst;
    if first > 12 || (second <= 12 && !month_first) {
        (second, first)
    } else {
        (first, second)
    }
}

#[cfg(test)]
mod tests;
