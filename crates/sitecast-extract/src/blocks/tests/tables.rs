use super::{blocks_of, page, page_without_x};

#[test]
fn reads_rows_with_the_header_first() {
    assert_eq!(
        page(
            "<table><caption>Prices</caption><tfoot><tr><td>sum</td><td>3</td></tr></tfoot>\
             <thead><tr><th>a</th><th>b</th></tr></thead>\
             <tbody><tr><td><a href=/x>x</a></td><td>1<br>2</td></tr></tbody></table>"
        ),
        [
            "Prices",
            "table: a | b / x | 1\n2 / sum | 3",
            "link: x -> /x"
        ]
    );
}

#[test]
fn repeats_spanned_cells() {
    assert_eq!(
        page(
            "<table><tr><th colspan=2>ab</th><th>c</th></tr>\
             <tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr></table>"
        ),
        ["table: ab | ab | c / 1 | 2 | 3 / 1 | 4 | 5"]
    );
    assert_eq!(
        page(
            "<table><tr><td rowspan=0>a</td><td>1</td></tr><tr><td>2</td></tr><tr><td>3</td></tr></table>"
        ),
        ["table: a | 1 / a | 2 / a | 3"]
    );
}

#[test]
fn limits_spans_to_the_width_of_the_table() {
    assert_eq!(
        page(
            "<table><tr><th colspan=1000>T</th></tr><tr><td>1</td><td>2</td></tr>\
             <tr><td>3</td><td>4</td></tr></table>"
        ),
        ["table: T | T / 1 | 2 / 3 | 4"]
    );
}

#[test]
fn limits_repeated_cells() {
    let wide = "<td colspan=1000 rowspan=65534>a</td>".repeat(300);
    let rows = "<tr><td>b</td></tr>".repeat(3_000);
    for html in [
        format!("<table><tr>{wide}</tr>{rows}</table>"),
        format!(
            "<table><tr>{}</tr>{rows}</table>",
            "<td>a</td>".repeat(3_000)
        ),
        format!(
            "<table>{}</table>",
            format!(
                "<tr><td rowspan=65534>{}</td><td>b</td></tr>",
                "a".repeat(500)
            )
            .repeat(2_000)
        ),
    ] {
        let size: usize = page(&html).iter().map(String::len).sum();
        assert!(size < html.len() * 5, "{size} of {}", html.len());
        let kept: String = page(&html).concat();
        assert!(kept.contains('a') && kept.contains('b'));
    }
}

#[test]
fn recognises_layout_tables() {
    for html in [
        "<table role=presentation><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<table><tr><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td></tr><tr><td>d</td></tr></table>",
        "<table><tr><td>a</td><td>b</td><td>c</td><td>d</td></tr></table>",
        "<table><tr><td><p>a<p>b<p>c<p>d</td></tr></table>",
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td><table><tr><td>d</td></tr></table></td></tr></table>",
    ] {
        assert_eq!(page(html), ["a", "b", "c", "d"], "{html}");
    }
    assert_eq!(
        page("<table><tr><td>a</td><td><h2>B</h2></td></tr><tr><td>c</td><td>d</td></tr></table>"),
        ["a", "h2: B", "c", "d"]
    );
    let inner = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>";
    assert_eq!(
        page(&format!(
            "<table><tr><td>nav</td><td>{inner}</td></tr><tr><td>p</td><td>q</td></tr></table>"
        )),
        ["nav", "table: a / 1", "p", "q"]
    );
}

#[test]
fn keeps_the_place_of_dropped_cells_and_removes_empty_columns() {
    assert_eq!(
        page_without_x(
            "<table><tr><th>a</th><th>b</th><th></th></tr><tr><td>x</td><td>1</td><td>x</td></tr>\
             <tr><td>x</td><td>x</td><td>x</td></tr><tr><td>2</td><td>3</td></tr></table>"
        ),
        ["table: a | b /  | 1 / 2 | 3"]
    );
}

#[test]
fn writes_lists_and_code_in_cells_as_lines() {
    assert_eq!(
        page(
            "<table><tr><th>k</th><th>v</th></tr><tr><td><ul><li>a<ul><li>b</ul><li>c</ul></td>\
             <td><p>p</p><pre>q\n r</pre></td></tr></table>"
        ),
        ["table: k | v / - a\n  - b\n- c | p\n```\nq\n r\n```"]
    );
}

#[test]
fn keeps_rows_intact_around_images_of_nested_tables() {
    assert_eq!(
        page(
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><table><tr><td>\
             <img src=/i.png alt=i></td></tr></table></td></tr></table>"
        ),
        ["a", "b", "1", "image: i /i.png"]
    );
}

#[test]
fn reads_nested_tables_in_linear_time() {
    let html = "<table><tr><td>a</td><td>".repeat(150);
    assert!(blocks_of(&html).len() <= 150);
}

#[test]
fn splits_a_table_at_heading_rows() {
    let members =
        "<tr><td>int</td><td>fly(int height)</td></tr><tr><td>bool</td><td>sit()</td></tr>";
    assert_eq!(
        page(&format!(
            "<table><tr class=heading><td colspan=2><h2><a name=public></a>\nMethods</h2></td></tr>{members}\
             <tr class=heading><td colspan=2><h2>Inherited</h2></td></tr>{members}</table><p>After"
        )),
        [
            "h2: Methods",
            "table: int | fly(int height) / bool | sit()",
            "h2: Inherited",
            "table: int | fly(int height) / bool | sit()",
            "After"
        ]
    );
}

#[test]
fn keeps_heading_rows_below_column_names() {
    for cell in ["th", "td"] {
        assert_eq!(
            page(&format!(
                "<table><tr><{cell}>Bird<{cell}>Speed</tr><tr><td colspan=2><h3>Hawks</h3></td></tr>\
                 <tr><td>Kestrel</td><td>60</td></tr><tr><td>Goshawk</td><td>65</td></tr></table>"
            )),
            ["table: Bird | Speed / Hawks | Hawks / Kestrel | 60 / Goshawk | 65"]
        );
    }
}
