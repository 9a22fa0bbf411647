//! Traditional characters of everyday words in their simplified form, so that one rule reads both.

use std::sync::LazyLock;

use hashbrown::HashMap;

/// Each traditional character with the simplified one after it. Only what the rules of this room read: words of time,
/// question words, particles and the verbs of liking, remembering and asking.
const PAIRS: &str = "\
週周禮礼個个點点鐘钟鍾钟時时後后兩两號号節节國国慶庆陽阳間间陰阴曆历農农這这開开聖圣誕诞萬万幾几過过從从來来剛刚現现\
內内當当歲岁裡里裏里麼么嗎吗誰谁為为說说話话記记問问請请謝谢對对錯错應应該该給给買买賣卖歡欢愛爱討讨厭厌習习慣惯\
覺觉樣样還还沒没讓让幫帮寫写碼码運运誤误報报編编譯译檔档變变數数調调試试據据庫库網网頁页區区學学書书電电腦脑車车機机\
場场聽听見见讀读遲迟連连長长離离壞坏員员師师業业醫医緊紧張张難难關关係系憶忆發发經经歷历遊游東东門门飯饭麵面飲饮\
養养貓猫樂乐畫画聲声語语義义釋释紹绍漢汉詞词彙汇體体與与於于將将會会總总參参親亲兒儿媽妈爺爷媳媳婦妇\
傷伤氣气擾扰寧宁願愿嚴严準准備备約约諾诺證证終终結结預预計计劃划終终線线層层類类構构環环錄录";

static SIMPLIFIED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let chars: Vec<char> = PAIRS.chars().collect();
    chars
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect()
});

/// The simplified form of a character, where the rules need one; else the character itself.
pub(super) fn simplified(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    SIMPLIFIED.get(&c).copied().unwrap_or(c)
}
