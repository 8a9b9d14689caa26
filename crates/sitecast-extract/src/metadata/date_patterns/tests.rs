use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::metadata::dates::DateParser;

fn found(text: &str, order: DateOrder) -> Vec<String> {
    DateParser::new(order, "1970-01-01T00:00:00Z".parse().unwrap())
        .find(text)
        .iter()
        .map(|found| {
            let day = found.moment.instant.to_string();
            format!(
                "{}={}",
                text.get(found.start..found.end).unwrap(),
                day.get(..10).unwrap()
            )
        })
        .collect()
}

#[test]
fn reads_all_spellings_of_a_day() {
    for text in [
        "2024-05-07",
        "2024/5/7",
        "2024.05.07",
        "2024. 5. 7",
        "2024年5月7日",
        "2024 年 5 月 7 日",
        "2024년 5월 7일",
        "May 7, 2024",
        "MAY 7,2024",
        "May 7th, 2024",
        "May 07 2024",
        "7 May 2024",
        "7th of May, 2024",
        "07-May-2024",
        "7. Mai 2024",
        "7 mai 2024",
        "7 de mayo de 2024",
        "7 de maio de 2024",
        "7 maggio 2024",
        "7 mei 2024",
        "7 maja 2024",
        "7 мая 2024",
        "7 Mayıs 2024",
        "7. května 2024",
        "2024. május 7",
        "7. toukokuuta 2024",
        "2024, May 7",
        "May 7 ’24",
        "7.5.2024",
        "07. 05. 2024",
        "5/7/2024",
        "05-07-2024",
        "5/7/24",
        "7.5.24",
    ] {
        let all = found(text, DateOrder::MonthFirst);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        assert!(all[0].ends_with("=2024-05-07"), "{text}: {all:?}");
    }
}

#[test]
fn order_applies_only_to_ambiguous_numbers() {
    assert_eq!(
        found("5/7/2024", DateOrder::DayFirst),
        ["5/7/2024=2024-07-05"]
    );
    assert_eq!(
        found("5/17/2024", DateOrder::DayFirst),
        ["5/17/2024=2024-05-17"]
    );
    assert_eq!(
        found("17/5/2024", DateOrder::MonthFirst),
        ["17/5/2024=2024-05-17"]
    );
}

#[test]
fn finds_dates_among_words() {
    assert_eq!(
        found(
            "Posted on May 7, 2024 | Updated 8 May 2024.",
            DateOrder::MonthFirst
        ),
        ["May 7, 2024=2024-05-07", "8 May 2024=2024-05-08"]
    );
}

#[test]
fn rejects_numbers_that_are_not_dates() {
    for text in [
        "1.2.10.4",
        "$5/10/15",
        "call 555-12-2024-9",
        "May 2024",
        "20240507",
        "31 February 2024",
        "12:30",
        "99/99/2024",
        "the 5 May sisters",
        "30/30/2024",
        "2024-05",
        "1,234.56.78",
    ] {
        assert_eq!(
            found(text, DateOrder::MonthFirst),
            Vec::<String>::new(),
            "{text}"
        );
    }
}

/// Parts of dates, and similar strings.
fn part() -> impl Strategy<Value = String> {
    let parts = [
        "1", "7", "12", "17", "24", "2024", "1999", "1899", "20240517", "170", "May", "mai",
        "Mayıs", "de", "of", "th", "er", ".", ".", "/", "/", "-", "-", ",", " ", " ", " ", "'",
        "’", "年", "月", "日", "년", "월", "일", "word", "(", "_", "$", "\u{3000}", "º",
    ];
    prop::sample::select(parts.map(str::to_owned).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn flags_rule_out_no_date(texts in vec(vec(part(), 0..9), 3)) {
        let texts: Vec<String> = texts.iter().map(|parts| parts.concat()).collect();
        let joined = texts.join(" ");
        let tokens = Tokens::of(&joined);
        let all = NumberFlags::of(&joined);
        for order in [DateOrder::DayFirst, DateOrder::MonthFirst] {
            let spelled = (0..tokens.len()).any(|at| tokens.dates_at(at, order).next().is_some());
            prop_assert!(!spelled || all.may_be_date(), "{}", joined);
            let each = texts.iter().map(|text| NumberFlags::of(text)).reduce(NumberFlags::and);
            prop_assert!(!spelled || each.unwrap().may_be_parts_of_date(), "{}", joined);
        }
        prop_assert!(tokens.order().is_none() || all.may_show_order(), "{}", joined);
        prop_assert_eq!(all.any(), joined.contains(|c: char| c.is_ascii_digit()));
    }

    #[test]
    fn tokens_cover_the_whole_text(parts in vec(part(), 0..9)) {
        let text = parts.concat();
        let tokens = Tokens::of(&text);
        let mut end = 0;
        for (token, start, stop) in &tokens.tokens {
            prop_assert_eq!(*start, end);
            end = *stop;
            let piece = text.get(*start..end).unwrap();
            let all = |is: fn(char) -> bool| piece.chars().all(is);
            let is = match token {
                Token::Number(number, digits) => {
                    all(|c| c.is_ascii_digit()) && *digits == piece.len() && piece.parse().unwrap_or(i64::MAX) == *number
                }
                Token::Word(word) => *word == piece && all(char::is_alphabetic),
                Token::Space => all(char::is_whitespace),
                Token::Sign(sign) => piece == sign.to_string() && !all(char::is_alphanumeric),
            };
            prop_assert!(is && !piece.is_empty(), "{:?} is {}", token, piece);
        }
        prop_assert_eq!(end, text.len());
        let like = |pair: &[(Token, usize, usize)]| {
            std::mem::discriminant(&pair[0].0) == std::mem::discriminant(&pair[1].0)
                && !matches!(pair[0].0, Token::Sign(_))
        };
        prop_assert!(!tokens.tokens.windows(2).any(like));
    }
}
