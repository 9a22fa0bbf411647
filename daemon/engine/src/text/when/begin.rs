//! What an expression of time can begin with: most places in a text are passed over by one look.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::token::Tokens;

const CHINESE: &str = "\
今昨前大明后本去上来年岁月中下凌清早一正午傍黄晚夜半深最近这刚过之未接再几数好十〇零二三四五六七八九百千两廿卅壹贰元情妇植愚\
五劳青六儿教国万光双平圣跨春除端七重腊小冬母父感复暑寒夏盛秋农阴旧第周星礼从自";

#[rustfmt::skip]
const ENGLISH: &str = "\
the day yesterday today tomorrow tmr recently lately these just a an tonight last this next past previous coming following
in within about around nearly almost over early late mid middle beginning start end turn at during on by before after since
from between half quarter some few several couple quite one two three four five six seven eight nine ten eleven twelve
thirteen fourteen fifteen twenty thirty forty fifty sixty first second third fourth fifth sixth seventh eighth ninth tenth
eleventh twelfth january february march april may june july august september october november december jan feb mar apr jun
jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues thu thur thurs fri
spring springtime summer summertime autumn fall winter wintertime year week weekend month fortnight decade century new
valentine's st independence halloween christmas xmas boxing easter good thanksgiving black mother's father's memorial
labor chinese lunar lantern dragon qixi moon golden q";

static CHARACTERS: LazyLock<HashSet<char>> = LazyLock::new(|| CHINESE.chars().collect());
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());

/// Whether an expression may begin at a place.
pub(super) fn may_begin(tokens: &Tokens<'_>, at: usize) -> bool {
    if let Some(c) = tokens.han(at) {
        return CHARACTERS.contains(&c);
    }
    match tokens.word(at) {
        Some(word) => {
            WORDS.contains(word)
                || word
                    .strip_suffix("'s")
                    .is_some_and(|stem| WORDS.contains(stem))
        }
        None => tokens.digits(at).is_some(),
    }
}
