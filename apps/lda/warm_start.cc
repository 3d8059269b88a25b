#include "apps/lda/warm_start.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "apps/lda/word_numbers.h"
#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"

namespace rota::lda {

namespace {

// Removes the text up to the next tab from `line` and returns it.
std::string_view tab_field(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(line.size(), field.size() + 1));
  return field;
}

bool parse_whole(std::string_view text, std::uint64_t most, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= most;
}

}  // namespace

OldModel::OldModel(const std::string& folder, std::uint32_t topics, const io::Vocabulary& vocabulary)
    : words_(vocabulary.size()) {
  read_topics(folder + "/topics.txt");
  read_priors(folder + "/priors.txt");
  if (priors_.topics() != topics)
    throw UsageError("--init: the model in " + folder + " has " + std::to_string(priors_.topics()) + " topics, not " +
                     std::to_string(topics) + ": give --topics=" + std::to_string(priors_.topics()));
  totals_.resize(topics);
  read_words(folder + "/word_topic.txt", vocabulary);
}

void OldModel::read_priors(const std::string& path) {
  io::Lines lines(path);
  std::string_view line;
  while (lines.next(line)) {
    if (io::next_field(line) != "beta") continue;
    if (!io::parse_number(io::next_field(line), priors_.beta) || !is_prior(priors_.beta))
      lines.fail("expected beta and its value");
  }
  if (priors_.beta == 0) throw DataError(path, 0, "has no line of beta");
}

void OldModel::read_topics(const std::string& path) {
  io::Lines lines(path);
  std::string_view line;
  while (lines.next(line)) {
    std::uint64_t number = 0;
    double alpha = 0;
    const bool right = parse_whole(tab_field(line), priors_.topics(), number) && number == priors_.topics() &&
                       io::parse_number(tab_field(line), alpha) && is_prior(alpha);
    if (!right) lines.fail("expected topic " + std::to_string(priors_.topics()) + " and its alpha, with tabs");
    if (number == std::numeric_limits<std::uint16_t>::max()) lines.fail("there are too many topics");
    priors_.alphas.push_back(alpha);
  }
}

void OldModel::read_words(const std::string& path, const io::Vocabulary& vocabulary) {
  io::Lines lines(path);
  std::string_view line;
  const bool nameless = first_number(vocabulary.size(), [&](std::size_t w) { return vocabulary.word(w); }).has_value();
  std::optional<std::uint64_t> first;  // the first number, if neither has names
  for (; lines.next(line); ++old_words_) {
    const std::string_view name = io::next_field(line);
    if (old_words_ == 0 && nameless && (name == "0" || name == "1")) first = name == "1" ? 1 : 0;
    if (first && name != std::to_string(old_words_ + *first))
      lines.fail("expected the word " + std::to_string(old_words_ + *first) + ", found " + io::quoted(name) +
                 ": the words of this job are numbers, and so were those before it");
    auto word = vocabulary.find(name);
    if (first)
      word = old_words_ < vocabulary.size() ? std::optional(static_cast<std::uint32_t>(old_words_)) : std::nullopt;
    WordRow row;
    for (std::string_view cell = io::next_field(line); !cell.empty(); cell = io::next_field(line)) {
      const std::size_t colon = cell.find(':');
      std::uint64_t topic = 0, count = 0;
      if (colon == cell.npos || !parse_whole(cell.substr(0, colon), totals_.size() - 1, topic) ||
          !parse_whole(cell.substr(colon + 1), std::numeric_limits<std::uint32_t>::max(), count) || count == 0)
        lines.fail("expected topic:count, found " + io::quoted(cell));
      totals_[topic] += count;
      row.push_back({static_cast<std::uint32_t>(count), static_cast<std::uint16_t>(topic)});
    }
    if (!word || row.empty()) continue;
    ++known_words_;
    words_[*word] = std::move(row);
  }
  if (known_words_ == 0) throw DataError(path, 0, "no word of this corpus is in the model");
}

void OldModel::phi(std::uint32_t word, std::span<double> to) const {
  const double beta = priors_.beta, v_beta = beta * static_cast<double>(old_words_);
  const WordRow& row = words_[word];
  for (std::size_t k = 0; k < to.size(); ++k)
    to[k] = row.empty() ? 1.0 : beta / (static_cast<double>(totals_[k]) + v_beta);
  for (const TopicCount cell : row)
    to[cell.topic] = (cell.count + beta) / (static_cast<double>(totals_[cell.topic]) + v_beta);
}

std::uint16_t draw_topic(std::span<const double> document, std::span<const double> alphas, std::span<const double> phi,
                         std::span<double> upto, double uniform) {
  double sum = 0;
  for (std::size_t k = 0; k < phi.size(); ++k) {
    sum += (document[k] + alphas[k]) * phi[k];
    upto[k] = sum;
  }
  const double target = uniform * sum;
  std::size_t topic = 0;
  while (topic + 1 < upto.size() && upto[topic] <= target) ++topic;
  return static_cast<std::uint16_t>(topic);
}

void WarmStart::draw(const WordTokens& word, Key number, std::span<const double> alphas, ShardTokens& tokens,
                     TopicTotals& totals, RowChange& row, Random& random) {
  old_model_->phi(static_cast<std::uint32_t>(number), phi_);
  for (std::uint32_t i = word.begin; i < word.end; ++i) {
    const std::uint32_t d = tokens.layout().documents()[i];
    tokens.counts_of(d, cells_);
    for (const TopicCount cell : cells_) document_[cell.topic] = cell.count;
    const std::uint16_t topic = draw_topic(document_, alphas, phi_, upto_, random.uniform());
    for (const TopicCount cell : cells_) document_[cell.topic] = 0;
    tokens.layout().topics()[i] = topic;
    tokens.rows().add(d, topic);
    row.add(topic, totals);
  }
}

}  // namespace rota::lda
