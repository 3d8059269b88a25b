#include "io/stop_words.h"

#include <string_view>

#include "rota/io/lines.h"
#include "rota/io/numbers.h"

namespace rota::io {

namespace {

// Articles, pronouns, prepositions, conjunctions, auxiliary verbs with their contractions, and the most common adverbs.
constexpr std::string_view kEnglish =
    "a an the this that these those such same other another each every either neither both all any some no none "
    "several "
    "many much more most few fewer little less least enough own "
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we "
    "us "
    "our ours ourselves they them their theirs themselves one ones oneself who whom whose which what whoever whatever "
    "somebody someone something anybody anyone anything everybody everyone everything nobody nothing "
    "about above across after against along among amongst around as at before behind below beneath beside besides "
    "between beyond by despite down during except for from in inside into like near of off on onto out outside over "
    "past per since than through throughout till to toward towards under until up upon versus via with within without "
    "and or nor but if then else when whenever where wherever whereas whether while because although though unless so "
    "yet however therefore thus hence moreover furthermore otherwise "
    "am is are was were be been being do does did doing done have has had having can could may might must shall should "
    "will would ought need dare used "
    "i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll "
    "he'll she'll it'll we'll they'll that's there's here's what's who's where's when's why's how's let's "
    "isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't cannot couldn't mayn't mightn't "
    "mustn't "
    "shan't shouldn't won't wouldn't needn't ain't "
    "not never ever very too also just only even still already again once twice here there now why how almost always "
    "often sometimes perhaps maybe quite rather really well away back else anyway indeed instead soon later "
    "first last next yes ok etc eg ie vs";

void add_words(std::string_view line, std::unordered_set<std::string>& to) {
  for (std::string_view word = next_field(line); !word.empty(); word = next_field(line)) to.emplace(word);
}

}  // namespace

std::unordered_set<std::string> stop_words(const std::string& which) {
  std::unordered_set<std::string> words;
  if (which.empty() || which == "none") return words;
  if (which == "english") {
    add_words(kEnglish, words);
    return words;
  }
  Lines lines(which);
  std::string_view line;
  while (lines.next(line)) add_words(line, words);
  return words;
}

}  // namespace rota::io
