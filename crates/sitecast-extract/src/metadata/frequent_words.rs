//! A language model of frequent words and letters.
//!
//! `languages.words` has the frequencies of a few hundred words and of all letters beyond ASCII in about fifty languages, as
//! costs (`languages/words.py` learns them). The language with the lowest cost for a text is the likeliest. Most of the words are
//! function words, which every sentence has, so that names of products and places hardly count.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use crate::names::NameHasher;

/// The most words of a text that count.
const MAX_WORDS: usize = 400;
/// The cost of a listed word in a language in which it is not frequent, as in `languages/words.py`.
const WORD_OF_OTHERS: u32 = 95;
/// The cost of a listed letter in a language that hardly has it, as in `languages/words.py`.
const LETTER_OF_OTHERS: u32 = 85;
/// Letters are not independent of words, so their costs count seven tenths.
const TENTHS_OF_LETTERS: u32 = 7;

type ByKey<K, V> = HashMap<K, V, BuildHasherDefault<NameHasher>>;

/// The costs of words and letters by language. A cost is ten times the negative natural logarithm of a probability.
struct CostTable {
    codes: Vec<&'static str>,
    handicaps: Vec<u32>,
    others: Vec<u32>,
    words: HashMap<&'static str, Vec<u8>>,
    letters: ByKey<u32, Vec<u8>>,
}

static COSTS: LazyLock<CostTable> =
    LazyLock::new(|| CostTable::read(include_str!("languages.words")));

impl CostTable {
    fn read(text: &'static str) -> Self {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let mut costs = Self {
            codes: Vec::new(),
            handicaps: Vec::new(),
            others: Vec::new(),
            words: HashMap::new(),
            letters: HashMap::default(),
        };
        let all = lines.len();
        let pairs = |list: &'static str| {
            let pairs = list.split(' ').filter_map(|pair| pair.rsplit_once(':'));
            pairs.filter_map(|(what, cost)| Some((what, cost.parse::<u8>().ok()?)))
        };
        for (at, line) in lines.into_iter().enumerate() {
            let mut parts = line.split('\t');
            let mut head = parts.next().unwrap_or_default().split(' ');
            costs.codes.push(head.next().unwrap_or_default());
            let mut number = || {
                head.next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or_default()
            };
            costs.handicaps.push(number());
            costs.others.push(number());
            for (word, cost) in pairs(parts.next().unwrap_or_default()) {
                let of = costs.words.entry(word);
                let of = of.or_insert_with(|| vec![WORD_OF_OTHERS as u8; all]);
                if let Some(own) = of.get_mut(at) {
                    *own = cost;
                }
            }
            for (letter, cost) in pairs(parts.next().unwrap_or_default()) {
                let letter = letter.chars().next().map_or(0, u32::from);
                let of = costs.letters.entry(letter);
                let of = of.or_insert_with(|| vec![LETTER_OF_OTHERS as u8; all]);
                if let Some(own) = of.get_mut(at) {
                    *own = cost;
                }
            }
        }
        costs
    }
}

/// The likeliest language of a text, and the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BestLanguages {
    pub(super) language: &'static str,
    /// The number of different words that are frequent words of `language`.
    pub(super) known: usize,
    pub(super) next: &'static str,
    /// The cost in `next` minus the cost in `language`.
    pub(super) lead: u32,
}

/// Returns true if there are word costs for a language.
pub(super) fn has_word_costs(language: &str) -> bool {
    COSTS.codes.contains(&language)
}

/// The costs of a text in each language.
#[derive(Debug, Clone)]
pub(super) struct LanguageCosts {
    /// By language, without the handicaps.
    costs: Vec<u32>,
    /// The number of words, at most [`MAX_WORDS`].
    pub(super) words: usize,
    /// The number of different words of at least two letters.
    pub(super) different: usize,
    /// By language, the number of these that are frequent words of it.
    known: Vec<usize>,
}

impl LanguageCosts {
    pub(super) fn of(text: &str) -> Self {
        let all = &*COSTS;
        let mut costs = vec![0; all.codes.len()];
        let mut letters = vec![0; all.codes.len()];
        let mut known = vec![0; all.codes.len()];
        let (mut words, mut others) = (0, 0);
        let mut different = HashSet::new();
        let is_between = |c: char| !c.is_alphabetic() && !is_mark(c);
        let mut lower = String::new();
        for word in text
            .split(is_between)
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
        {
            words += 1;
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            let is_new = lower.chars().nth(1).is_some() && different.insert(lower.clone());
            match all.words.get(lower.as_str()) {
                Some(of) => {
                    for ((cost, known), own) in costs.iter_mut().zip(&mut known).zip(of) {
                        *cost += u32::from(*own);
                        *known += usize::from(is_new && u32::from(*own) < WORD_OF_OTHERS);
                    }
                }
                None => others += 1,
            }
            for letter in lower.chars().filter(|c| !c.is_ascii()) {
                for (cost, own) in letters
                    .iter_mut()
                    .zip(all.letters.get(&u32::from(letter)).into_iter().flatten())
                {
                    *cost += u32::from(*own);
                }
            }
        }
        for ((cost, letters), other) in costs.iter_mut().zip(letters).zip(&all.others) {
            *cost += letters * TENTHS_OF_LETTERS / 10 + others * other;
        }
        Self {
            costs,
            words,
            different: different.len(),
            known,
        }
    }

    /// Returns the likeliest language, with handicaps.
    pub(super) fn best(&self) -> Option<BestLanguages> {
        let costs = COSTS.handicaps.iter().zip(&self.costs);
        let costs = costs.map(|(handicap, cost)| handicap + cost);
        let known = self.known.iter().copied();
        let mut all: Vec<_> = costs.zip(&COSTS.codes).zip(known).collect();
        all.sort_unstable();
        let [((cost, language), known), ((next_cost, next), _), ..] = all.as_slice() else {
            return None;
        };
        Some(BestLanguages {
            language,
            known: *known,
            next,
            lead: next_cost - cost,
        })
    }

    /// Returns the cost in a language, and the number of different words that are frequent words of it.
    pub(super) fn in_language(&self, code: &str) -> Option<(u32, usize)> {
        let at = COSTS.codes.iter().position(|known| *known == code)?;
        Some((*self.costs.get(at)?, *self.known.get(at)?))
    }
}

/// Returns true for combining diacritical marks, which are parts of words.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> &'static str {
        LanguageCosts::of(text).best().unwrap().language
    }

    /// Article 1 of the Universal Declaration of Human Rights.
    const TEXTS: [(&str, &str); 24] = [
        (
            "en",
            "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
        ),
        (
            "de",
            "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
        ),
        (
            "fr",
            "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
        ),
        (
            "es",
            "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
        ),
        (
            "pt",
            "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
        ),
        (
            "it",
            "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
        ),
        (
            "nl",
            "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
        ),
        (
            "sv",
            "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
        ),
        (
            "da",
            "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
        ),
        (
            "nb",
            "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd.",
        ),
        (
            "fi",
            "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
        ),
        (
            "is",
            "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvisku, og ber þeim að breyta bróðurlega hverjum við annan.",
        ),
        (
            "pl",
            "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
        ),
        (
            "cs",
            "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.",
        ),
        (
            "sk",
            "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv. Sú obdarení rozumom a majú navzájom jednať v bratskom duchu.",
        ),
        (
            "hu",
            "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
        ),
        (
            "tr",
            "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
        ),
        (
            "ro",
            "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.",
        ),
        (
            "vi",
            "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người đều được tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu.",
        ),
        (
            "ru",
            "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
        ),
        (
            "uk",
            "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
        ),
        (
            "bg",
            "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство.",
        ),
        (
            "sr",
            "Сва људска бића рађају се слободна и једнака у достојанству и правима. Она су обдарена разумом и свешћу и треба једни према другима да поступају у духу братства.",
        ),
        (
            "fa",
            "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان هستند و باید نسبت به یکدیگر با روح برادری رفتار کنند.",
        ),
    ];

    #[test]
    fn detects_languages_by_words_and_letters() {
        for (code, text) in TEXTS {
            assert_eq!(language(text), code, "{text}");
            let (cost, known) = LanguageCosts::of(text).in_language(code).unwrap();
            assert!(cost > 0 && known > 0 && has_word_costs(code), "{code}");
        }
        assert!(!has_word_costs("bar"));
        assert_eq!(LanguageCosts::of(TEXTS[0].1).in_language("bar"), None);
    }

    #[test]
    fn ignores_case() {
        let (_, text) = TEXTS[6];
        let language_costs = LanguageCosts::of(&text.to_uppercase());
        assert_eq!(language_costs.best(), LanguageCosts::of(text).best());
    }

    #[test]
    fn cost_table_is_complete() {
        assert!(COSTS.codes.len() >= 40, "{:?}", COSTS.codes);
        for code in &COSTS.codes {
            assert!(code.len() == 2, "{code}");
        }
        assert!(COSTS.others.iter().all(|cost| *cost > 0));
        let complete = |costs: &Vec<u8>| costs.len() == COSTS.codes.len();
        assert!(COSTS.words.values().all(complete) && COSTS.letters.values().all(complete));
    }
}
