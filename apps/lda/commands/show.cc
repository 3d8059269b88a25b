// apps/lda/commands/show.cc -- `rota show lda`: the topics as a table.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <ostream>
#include <string>

#include "apps/lda/commands/commands.h"
#include "apps/lda/commands/trained_model.h"

namespace rota::lda {
namespace {

constexpr Option kShowOptions[] = {
    integer_option("top_words", "10", "words", 1, 1000, "Number of words shown for a topic."),
};

// "7.3%"
std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, share, std::chars_format::fixed, 1).ptr;
  return std::string(text, end) + "%";
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

void show(const Call& call, std::ostream& out) {
  const Model& model = *call.model;
  const TrainedModel trained = read_model(model, false);
  const auto most = static_cast<std::size_t>(call.options.integer("top_words"));
  const auto top = top_words(trained, most);
  const std::uint64_t tokens = std::accumulate(trained.totals.begin(), trained.totals.end(), std::uint64_t{0});
  std::vector<std::size_t> order(top.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return trained.totals[a] > trained.totals[b]; });

  out << top.size() << " topics, " << trained.vocabulary.size() << " words, " << tokens << " tokens, epoch "
      << model.epoch() << "\n"
      << "Share: of all tokens those with the topic; after a word: of the topic's tokens those of the word.\n\n"
      << "topic   share  words\n";
  for (const std::size_t k : order) {
    out << right_aligned(std::to_string(k), 5) << right_aligned(percent(trained.totals[k], tokens), 8) << " ";
    for (const TopWord each : top[k])
      out << " " << trained.vocabulary[each.word] << " " << percent(each.count, trained.totals[k]);
    out << "\n";
  }
}

}  // namespace

Command show_command() {
  return {.name = "show", .summary = "prints the topics with their top words", .options = kShowOptions, .run = show};
}

}  // namespace rota::lda
