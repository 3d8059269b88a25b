// apps/mf/commands/show.cc -- what a model has learned of its items: factors, and which items are similar.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "rota/error.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/report_text.h"

namespace rota::mf {
namespace {

struct ShowOptions {
  std::uint32_t factors = 5, top = 5;
  void options(auto& list) {
    list.number("factors", factors, "factors", 0, 65536, "Number of factors shown: those in which items differ most.");
    list.number("top", top, "items", 1, 268435456.0, "Number of items at each end of a factor.");
  }
};

struct SimilarOptions {
  std::string item;
  std::uint32_t top = 10;
  void options(auto& list) {
    list.text("item", item, "The item, by its name in the ratings.");
    list.number("top", top, "items", 1, 268435456.0, "Number of items, the most similar first.");
  }
};

// The variance of each factor over the items.
std::vector<double> variances(const Side& items, std::size_t rank) {
  std::vector<double> out(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto x = static_cast<double>(items.row(i)[k]);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / static_cast<double>(items.size());
    out[k] = squares / static_cast<double>(items.size()) - mean * mean;
  }
  return out;
}

void print_factor(const Side& items, std::size_t k, std::size_t top, std::ostream& out) {
  const auto print = [&](const char* end, float sign) {
    out << "  " << end << ":";
    for (const std::uint32_t i : io::largest(items.size(), top, [&](std::size_t i) { return sign * items.row(i)[k]; }))
      out << " " << items.names.word(i) << " (" << io::six_digits(static_cast<double>(items.row(i)[k])) << ")";
    out << "\n";
  };
  out << "factor " << k + 1 << "\n";
  print("highest", 1);
  print("lowest", -1);
}

std::string about_ratings(const TrainedModel& model) {
  const std::string mean = io::six_digits(model.mean_rating);
  if (model.settings.implicit) return " implicit ratings of mean " + mean;
  if (model.settings.loss == Loss::logistic) return " labels, of which 1 are a share of " + mean;
  return " ratings of mean " + mean + " and standard deviation " + io::six_digits(model.deviation);
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const auto options = settings_of<ShowOptions>(call.options);
  const Settings& settings = model.settings;
  out << model.users.size() << " users, " << model.items.size() << " items, " << model.ratings << about_ratings(model)
      << ", epoch " << model.epoch << "\n"
      << "rank " << settings.rank << (settings.loss == Loss::bpr ? ", pairs of items (bpr)" : "")
      << (settings.biases ? ", biases" : ", no biases") << (settings.nonnegative ? ", no factor below 0" : "")
      << ", lambda " << io::six_digits(settings.penalty() * model.penalty_scale)
      << (settings.by_rating ? " for each rating of a user or an item (weighted by counts)"
                             : " for each user and item (not weighted by counts)")
      << "\n";
  const std::vector<double> spread = variances(model.items, settings.rank);
  for (const std::uint32_t k : io::largest(spread.size(), options.factors, [&](std::size_t k) { return spread[k]; }))
    print_factor(model.items, k, options.top, out);
}

void similar(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const auto options = settings_of<SimilarOptions>(call.options);
  if (options.item.empty()) throw UsageError("--item is missing: the item to compare others with");
  const Side& items = model.items;
  const auto item = items.names.find(options.item);
  if (!item) throw UsageError("the model has no item " + io::quoted(options.item));
  const std::span<const float> wanted = items.row(*item);
  std::vector<double> cosines;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double lengths = std::sqrt(dot(wanted, wanted)) * std::sqrt(dot(items.row(i), items.row(i)));
    cosines.push_back(i == *item ? -2 : lengths > 0 ? dot(wanted, items.row(i)) / lengths : 0);  // itself is the last
  }
  out << "item,cosine\n";
  for (const std::uint32_t i : io::largest(cosines.size(), std::min<std::size_t>(options.top, items.size() - 1),
                                           [&](std::size_t i) { return cosines[i]; }))
    out << io::csv_field(items.names.word(i)) << "," << io::six_digits(cosines[i]) << "\n";
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "prints sizes, and items of the strongest factors",
          .options = declared_options<ShowOptions>(),
          .run = show};
}

Command similar_command() {
  return {.name = "similar",
          .summary = "prints the items most similar to an item, as CSV",
          .options = declared_options<SimilarOptions>(),
          .run = similar};
}

}  // namespace rota::mf
