#include "apps/lda/commands/generate.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ostream>
#include <vector>

#include "apps/lda/commands/commands.h"
#include "rota/seed_mixer.h"

namespace rota::lda {

namespace {

constexpr Option kGenerateOptions[] = {
    integer_option("documents", "10000", "documents", 1, 4294967295.0, "Number of documents."),
    integer_option("words", "10000", "words", 1, 268435456.0, "Number of words of the vocabulary."),
    integer_option("topics", "100", "topics", 1, 65535, "Number of topics."),
    integer_option("length", "200", "tokens", 1, 1e7, "Mean length of a document."),
    real_option("alpha", "0.1", "", 1e-9, 1e6, "Dirichlet parameter of each topic in a document."),
    real_option("zipf", "1.05", "", 0, 10, "Exponent of the words' frequencies."),
    real_option("word_share", "0.1", "", 0, 1, "Approximate share of the words that a topic has."),
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992, "Equal seeds give equal corpora."),
};

// Ranks 0 .. words-1 in proportion to (rank + 1)^-s, by the alias method (Vose, "A linear algorithm for generating
// random numbers with a given distribution", IEEE Transactions on Software Engineering 1991).
class ZipfRanks {
 public:
  ZipfRanks(std::uint32_t words, double s) : keep_(words), alias_(words) {
    std::vector<double> weight(words);
    for (std::uint32_t r = 0; r < words; ++r) weight[r] = std::pow(r + 1.0, -s);
    const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / words;
    // The weights descend: the light ranks are taken from the end, the heavy ones from the beginning.
    std::uint32_t heavy = 0, next_light = words - 1;
    std::uint32_t light = next_light;
    for (std::uint32_t left = words; left > 1; --left) {
      if (weight[light] > mean) break;  // by rounding only: all remaining weights are near the mean
      keep_[light] = weight[light] / mean;
      alias_[light] = heavy;
      weight[heavy] -= mean - weight[light];
      if (weight[heavy] < mean && heavy < next_light)
        light = heavy++;
      else
        light = --next_light;
    }
    for (std::uint32_t r = 0; r < words; ++r)
      if (keep_[r] == 0) keep_[r] = 1, alias_[r] = r;
  }

  std::uint32_t operator()(Random& random) const {
    const auto rank = static_cast<std::uint32_t>(random.below(keep_.size()));
    return random.uniform() < keep_[rank] ? rank : alias_[rank];
  }

 private:
  std::vector<double> keep_;
  std::vector<std::uint32_t> alias_;
};

// The words of each octave that a topic has: an arithmetic progression modulo the octave's size, one per topic.
class TopicWords {
 public:
  explicit TopicWords(const CorpusShape& shape)
      : words_(shape.words), octaves_(static_cast<std::uint32_t>(std::bit_width(shape.words))) {
    for (std::uint32_t j = 0; j < octaves_; ++j) {
      const auto share = static_cast<std::uint32_t>(std::ceil(size(j) * shape.word_share));
      had_.push_back(std::max(share, 1U));
    }
    for (std::uint32_t k = 0; k < shape.topics; ++k) {
      for (std::uint32_t j = 0; j < octaves_; ++j) {
        Random random = random_named({shape.seed, 1, k, j});
        Progression progression{1, static_cast<std::uint32_t>(random.below(size(j)))};
        do progression.step = static_cast<std::uint32_t>(random.below(size(j))) + 1;
        while (std::gcd(progression.step, size(j)) != 1);
        of_topic_.push_back(progression);
      }
    }
  }

  // The topic's word for a rank: both from 0.
  std::uint32_t word(std::uint32_t topic, std::uint32_t rank) const {
    const auto j = static_cast<std::uint32_t>(std::bit_width(rank + 1)) - 1;
    const std::uint32_t first = (1U << j) - 1;
    const Progression& its = of_topic_[std::size_t{topic} * octaves_ + j];
    const std::uint64_t place = (rank - first) % had_[j];
    return first + static_cast<std::uint32_t>((place * its.step + its.begin) % size(j));
  }

 private:
  struct Progression {
    std::uint32_t step, begin;
  };
  std::uint32_t size(std::uint32_t octave) const { return std::min(1U << octave, words_ + 1 - (1U << octave)); }

  std::uint32_t words_, octaves_;
  std::vector<std::uint32_t> had_;  // words of each octave that a topic has
  std::vector<Progression> of_topic_;
};

class Generator {
 public:
  explicit Generator(const CorpusShape& shape) : shape_(shape), ranks_(shape.words, shape.zipf), words_(shape) {}

  // The words of a document, ascending, each as often as it occurs.
  const std::vector<std::uint32_t>& document(std::uint64_t number) {
    Random random = random_named({shape_.seed, 2, number});
    const std::uint32_t least = (shape_.length + 1) / 2;
    const std::uint64_t length = least + random.below(2 * (shape_.length - least) + 1);
    const double any = shape_.alpha * shape_.topics;
    topics_.clear();
    tokens_.clear();
    for (std::uint64_t n = 0; n < length; ++n) {
      const bool is_new = random.uniform() * (static_cast<double>(n) + any) < any;
      topics_.push_back(is_new ? static_cast<std::uint32_t>(random.below(shape_.topics)) : topics_[random.below(n)]);
      tokens_.push_back(words_.word(topics_.back(), ranks_(random)));
    }
    std::sort(tokens_.begin(), tokens_.end());
    return tokens_;
  }

 private:
  const CorpusShape& shape_;
  ZipfRanks ranks_;
  TopicWords words_;
  std::vector<std::uint32_t> topics_, tokens_;
};

// Lines of numbers, written in large blocks.
class NumberLines {
 public:
  explicit NumberLines(std::ostream& out) : out_(out) { text_.reserve(kPiece + 64); }
  ~NumberLines() { flush(); }

  void put(std::uint64_t value, char end) {
    char text[24];
    char* const stop = std::to_chars(text, text + sizeof text, value).ptr;
    *stop = end;
    text_.append(text, stop + 1);
    if (text_.size() >= kPiece) flush();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 18;
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
};

}  // namespace

void generate_corpus(const CorpusShape& shape, std::ostream& out) {
  Generator generator(shape);
  // The number of lines comes before the lines, so the documents are drawn twice rather than kept.
  std::uint64_t pairs = 0;
  for (std::uint64_t d = 0; d < shape.documents; ++d) {
    const std::vector<std::uint32_t>& words = generator.document(d);
    for (std::size_t i = 0; i < words.size(); ++i) pairs += i == 0 || words[i] != words[i - 1] ? 1 : 0;
  }
  NumberLines lines(out);
  lines.put(shape.documents, '\n');
  lines.put(shape.words, '\n');
  lines.put(pairs, '\n');
  for (std::uint64_t d = 0; d < shape.documents; ++d) {
    const std::vector<std::uint32_t>& words = generator.document(d);
    for (std::size_t i = 0, next = 0; i < words.size(); i = next) {
      while (next < words.size() && words[next] == words[i]) ++next;
      lines.put(d + 1, ' ');
      lines.put(words[i] + std::uint64_t{1}, ' ');
      lines.put(next - i, '\n');
    }
  }
}

static void generate(const Call& call, std::ostream& out) {
  const auto whole = [&](std::string_view name) { return static_cast<std::uint64_t>(call.options.integer(name)); };
  CorpusShape shape;
  shape.documents = whole("documents");
  shape.words = static_cast<std::uint32_t>(whole("words"));
  shape.topics = static_cast<std::uint32_t>(whole("topics"));
  shape.length = static_cast<std::uint32_t>(whole("length"));
  shape.alpha = call.options.real("alpha");
  shape.zipf = call.options.real("zipf");
  shape.word_share = call.options.real("word_share");
  shape.seed = whole("seed");
  generate_corpus(shape, out);
}

Command generate_command() {
  return {.name = "generate",
          .summary = "draws a corpus from the model itself, with word frequencies as in text",
          .options = kGenerateOptions,
          .run = generate,
          .needs_model = false};
}

}  // namespace rota::lda
