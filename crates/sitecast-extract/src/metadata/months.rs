//! Names of months in dates.

use std::sync::LazyLock;

use crate::names::NameMap;

/// The names of each month in lower case, separated by spaces.
const NAMES: [&str; 12] = [
    "jan january januar jänner janvier janv enero ene janeiro gennaio gen januari styczeń stycznia sty января \
     январь янв січня ocak sausio leden ledna január januára ianuarie tammikuuta jaanuar ιανουαρίου gener \
     يناير",
    "feb february februar feber février fevrier févr fév febrero fevereiro fev febbraio februari luty lutego \
     lut февраля февраль фев лютого şubat vasario únor února február februára februarie helmikuuta veebruar \
     φεβρουαρίου febrer فبراير",
    "mar march märz marz mär mrz mars marzo março maart mrt marzec marca марта март мар березня mart marts \
     kovo březen března március martie maaliskuuta märts maret μαρτίου març مارس",
    "apr april avril avr abril abr aprile kwiecień kwietnia kwi апреля апрель апр квітня nisan balandžio \
     duben dubna április apríl apríla aprilie huhtikuuta aprill απριλίου أبريل",
    "may mai mayo maio maggio mag mei maj maja мая май травня mayıs gegužės květen května május mája \
     toukokuuta μαΐου maig مايو",
    "jun june juni juin junio junho giugno giu czerwiec czerwca cze июня июнь июн червня haziran birželio \
     červen června június júna iunie kesäkuuta juuni ιουνίου juny يونيو",
    "jul july juli juillet juil julio julho luglio lug lipiec lipca lip июля июль июл липня temmuz liepos \
     červenec července július júla iulie heinäkuuta juuli ιουλίου juliol يوليو",
    "aug august août aout agosto ago augustus augusti sierpień sierpnia sie августа август авг серпня ağustos \
     rugpjūčio srpen srpna augusztus augusta elokuuta agustus αυγούστου agost أغسطس",
    "sep sept september septembre septiembre setembro set settembre wrzesień września wrz сентября сентябрь \
     сен сент вересня eylül rugsėjo září szeptember septembra septembrie syyskuuta σεπτεμβρίου setembre \
     سبتمبر",
    "oct october oktober okt octobre octubre outubro out ottobre ott październik października paź октября \
     октябрь окт жовтня ekim spalio říjen října október októbra octombrie lokakuuta oktoober οκτωβρίου أكتوبر",
    "nov november novembre noviembre novembro listopad listopada listopadu lis ноября ноябрь ноя kasım \
     lapkričio novembra noiembrie marraskuuta νοεμβρίου نوفمبر",
    "dec december dezember dez décembre decembre déc diciembre dic dezembro dicembre grudzień grudnia gru \
     декабря декабрь дек грудня aralık gruodžio prosinec prosince decembra decembrie joulukuuta detsember \
     desember δεκεμβρίου desembre ديسمبر",
];

static BY_NAME: LazyLock<NameMap<i64>> = LazyLock::new(|| {
    let numbered = NAMES.into_iter().zip(1..);
    NameMap::new(
        numbered.flat_map(|(names, month)| names.split(' ').map(move |name| (name, month))),
    )
});

/// Returns the month, 1 to 12, that a word in lower case names.
pub(super) fn month(word: &str) -> Option<i64> {
    BY_NAME.get(word.as_bytes()).copied()
}

#[cfg(test)]
mod tests {
    use super::month;

    #[test]
    fn knows_months_in_many_languages() {
        for (word, number) in [
            ("may", 5),
            ("märz", 3),
            ("août", 8),
            ("enero", 1),
            ("outubro", 10),
            ("września", 9),
            ("декабря", 12),
            ("şubat", 2),
            ("június", 6),
            ("heinäkuuta", 7),
        ] {
            assert_eq!(month(word), Some(number), "{word}");
        }
        assert_eq!(month("monday"), None);
    }
}
