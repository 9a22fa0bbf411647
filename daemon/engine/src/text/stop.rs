//! Function words of English and Chinese, as folded text.
//!
//! Closed classes only (articles, pronouns, prepositions, conjunctions, auxiliaries, particles, question words): what
//! stands in so many texts that finding it tells nothing. Words with a meaning of their own are left to their
//! document frequency.

use std::collections::HashSet;
use std::sync::LazyLock;

const ENGLISH: &str = "
a about above after again against ago all already also am an and another any are aren't around as at
be because been before being below between both but by
can can't cannot could couldn't
did didn't do does doesn't doing don't done down during
each either else ever every
few for from further
get gets getting go goes going gonna got gotta
had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how how's
i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself
just
let let's like
may me might mine more most much must my myself
neither no nor not now
of off oh ok okay on once one only onto or other our ours ourselves out over own
please
quite
rather really
same shall she she'd she'll she's should shouldn't since so some still such
than that that'd that'll that's the their theirs them themselves then there there's these they they'd they'll
they're they've this those though through till to too
under until up upon us
very
wanna was wasn't we we'd we'll we're we've well were weren't what what'd what's when when's where where's whether
which while who who'd who'll who's whom whose why why's will with within without won't would wouldn't
yeah yes yet you you'd you'll you're you've your yours yourself yourselves
";

const CHINESE: &str = "
的 了 着 过 地 得 是 在 有 和 与 及 或 而 且 但 但是 而且 或者 以及 因为 所以 如果 虽然 不过 然后 于是 因此
我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 大家 人家
这 那 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么 此 其
什么 怎么 怎样 怎么样 哪 哪个 哪些 哪里 哪儿 谁 几 多少 为什么 何 如何
吗 呢 吧 啊 呀 哦 嗯 啦 嘛 哎 唉 哈 呵 喔 噢 诶 咯 呗 么
不 没 没有 也 都 就 才 又 再 还 还是 很 太 更 最 非常 已经 正在 曾经 只 只是 只有 就是 也是 都是 不是
把 被 给 让 对 向 从 到 往 由 以 于 为 为了 跟 同 比 用 按 当 将
上 下 里 中 内 外 前 后 之 等 等等 所 者 们 个 一 一个 一些 一下 有点 有些 可以 可能 能 会 要 想 应该 说
";

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    ENGLISH
        .split_whitespace()
        .chain(CHINESE.split_whitespace())
        .collect()
});

/// Whether a folded word is a function word of English or Chinese.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}
