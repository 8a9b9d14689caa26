//! Language codes.

use whatlang::Lang;

/// Returns the shortest code of a language (RFC 5646 §2.2.1); `None` for country codes, such as `jp`, and for codes without a
/// specific language, such as `und`.
pub(super) fn short_code(code: &str) -> Option<&str> {
    match code.len() {
        2 => ISO_639_1.split(' ').find(|known| *known == code),
        3 if code.bytes().all(|b| b.is_ascii_lowercase()) => match code {
            "und" | "mul" | "zxx" | "mis" => None,
            "ger" => Some("de"),
            "fre" => Some("fr"),
            "chi" | "zho" => Some("zh"),
            "dut" => Some("nl"),
            "gre" => Some("el"),
            "cze" => Some("cs"),
            "per" | "fas" => Some("fa"),
            "rum" => Some("ro"),
            "nor" => Some("no"),
            _ => match Lang::from_code(code) {
                Some(lang) => Some(two_letters(lang)),
                None => Some(code),
            },
        },
        _ => None,
    }
}

/// All codes of ISO 639-1.
const ISO_639_1: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy \
     da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig \
     ii ik io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi \
     mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd \
     se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo \
     wa wo xh yi yo za zh zu";

/// Codes of the same language, and languages that detection confuses.
const ALIKE: &[&[&str]] = &[
    &["no", "nb", "nn", "da"],
    &["no", "nb", "nn", "sv"],
    &["hr", "sr", "bs", "sh"],
    &["hr", "sl"],
    &["id", "ms", "jv", "su"],
    &["cs", "sk"],
    &["hi", "mr", "ne", "sa"],
    &["es", "ca", "gl"],
    &["pt", "gl"],
    &["it", "la"],
    &["zh", "cmn", "yue", "wuu"],
    &["he", "iw", "yi", "ji"],
    &["fa", "ps"],
    &["be", "ru"],
    &["be", "uk"],
    &["bg", "mk"],
    &["mk", "sr"],
    &["az", "tr", "tk"],
    &["nl", "af"],
    &["zu", "xh", "sn"],
    &["tl", "fil"],
];

/// Returns true if text in one language may be detected as the other.
pub(super) fn are_alike(a: &str, b: &str) -> bool {
    ALIKE
        .iter()
        .any(|codes| codes.contains(&a) && codes.contains(&b))
}

/// Returns the ISO 639-1 code. All languages of whatlang have one.
pub(super) fn two_letters(lang: Lang) -> &'static str {
    match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "nb",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    }
}
