//! Signatures of reference manuals in the markup of generators.

use super::page;

#[test]
fn joins_spans_of_a_signature() {
    assert_eq!(
        page(
            "<dl class='py class'><dt class='sig sig-object py' id=h><em class=property><span class=k><span class=pre>class</span></span>\
             <span class=w> </span></em><span class='sig-prename descclassname'><span class=pre>nest.</span></span>\
             <span class='sig-name descname'><span class=pre>Hawk</span></span><span class=sig-paren>(</span>\
             <em class=sig-param><span class=n><span class=pre>wings</span></span><span class=p><span class=pre>:</span></span>\
             <span class=w> </span><span class=n><span class=pre>int</span></span></em>, <em class=sig-param>\
             <span class=o><span class=pre>**</span></span><span class=n><span class=pre>more</span></span></em>\
             <span class=sig-paren>)</span><a class='reference internal' href=_modules/nest.html#Hawk><span class=viewcode-link>\
             <span class=pre>[source]</span></span></a><a class=headerlink href=#h title='Link to this definition'>¶</a></dt>\
             <dd><p>It flies.</p></dd></dl>"
        ),
        ["ul: class nest.Hawk(wings: int, **more): It flies."]
    );
    assert_eq!(
        page(
            "<section id=f class=method><a class='src rightside' href=../src/nest.rs.html#3>Source</a><a href=#f class=anchor>§</a>\
             <h4 class=code-header>pub fn <a href=#f class=fn>fly</a>(&amp;self) -&gt; <span class=ret>Option</span>&lt;<span>u8</span>&gt;</h4></section>"
        ),
        ["h4: pub fn fly(&self) -> Option<u8>"]
    );
    assert_eq!(
        page(
            "<div class=member-signature><span class=modifiers>public</span>&nbsp;<span class=return-type>int</span>&nbsp;\
             <span class=element-name>fly</span><wbr><span class=parameters>(int&nbsp;height)</span></div>"
        ),
        ["public int fly(int height)"]
    );
}

#[test]
fn drops_the_sign_behind_a_signature() {
    assert_eq!(
        page(
            "<pre class='rust item-decl'><code>pub fn fly() -&gt; Flight <a href='#' class=tooltip data-notable-ty=Flight>ⓘ</a></code></pre>\
             <pre><code>let <span class=tooltip>wing</span>;</code></pre>"
        ),
        ["code ?: pub fn fly() -> Flight", "code ?: let wing;"]
    );
}

#[test]
fn joins_spans_in_code() {
    assert_eq!(
        page(
            "<p>See <code class=xref><span class=pre>nest.</span><span class=pre>Hawk</span></code>."
        ),
        ["See nest.Hawk."]
    );
}

#[test]
fn writes_a_signature_table_as_a_line() {
    assert_eq!(
        page(
            "<div class=memproto><table class=memname>\n<tr>\n<td class=memname>bool <a href=/h>Hawk</a>::fly </td>\n<td>(</td>\n\
             <td class=paramtype>int&#160;</td>\n<td class=paramname><em>height</em>, </td>\n</tr>\n<tr>\n<td class=paramkey></td>\n<td></td>\n\
             <td class=paramtype>bool&#160;</td>\n<td class=paramname><em>fast</em>&#160;</td>\n</tr>\n<tr>\n<td></td>\n<td>)</td>\n<td></td>\n<td> const</td>\n</tr>\n\
             </table></div><div class=memdoc><p>It flies.</p></div>"
        ),
        [
            "bool Hawk::fly(int height, bool fast) const",
            "link: Hawk -> /h",
            "It flies."
        ]
    );
}

#[test]
fn drops_links_from_a_definition_to_itself() {
    assert_eq!(
        page(
            "<p id=d>A <dfn>hawk</dfn> flies.<a class=headerlink href=#d><span class=visually-hidden>Link to this definition</span></a></p>\
             <p>Not an <a class=anchor href=#d>anchor at sea</a>.</p><p><a class='viewcode-back' href=/api>[docs]</a>def fly</p>"
        ),
        ["A hawk flies.", "Not an anchor at sea.", "def fly"]
    );
}
