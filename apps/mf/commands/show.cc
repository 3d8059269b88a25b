#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "rota/io/number_text.h"

namespace rota::mf {
namespace {

constexpr Option kShowOptions[] = {
    integer_option("factors", "5", "factors", 0, 65536, "Number of factors shown: those in which items differ most."),
    integer_option("top", "5", "items", 1, 268435456.0, "Number of items at each end of a factor."),
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

void print_factor(const TrainedModel& model, std::size_t k, std::size_t top, std::ostream& out) {
  std::vector<std::uint32_t> order(model.items.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return model.items.row(a)[k] > model.items.row(b)[k]; });
  const auto print = [&](const char* end, auto first) {
    out << "  " << end << ":";
    for (std::size_t i = 0; i < std::min(top, order.size()); ++i, ++first)
      out << " " << model.items.names.word(*first) << " ("
          << io::six_digits(static_cast<double>(model.items.row(*first)[k])) << ")";
    out << "\n";
  };
  out << "factor " << k + 1 << "\n";
  print("highest", order.begin());
  print("lowest", order.rbegin());
}

std::string about_ratings(const Settings& settings, const Facts& facts) {
  const std::string mean = io::six_digits(facts.number("mean"));
  if (settings.implicit) return " implicit ratings of mean " + mean;
  if (settings.loss == Loss::logistic) return " labels, of which 1 are a share of " + mean;
  return " ratings of mean " + mean + " and standard deviation " + io::six_digits(facts.number("deviation"));
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const Settings& settings = model.settings;
  const Facts& facts = call.model->facts();
  out << model.users.size() << " users, " << model.items.size() << " items, " << facts.count("ratings")
      << about_ratings(settings, facts) << ", epoch " << call.model->epoch() << "\n"
      << "rank " << settings.rank << (settings.loss == Loss::bpr ? ", pairs of items (bpr)" : "")
      << (settings.biases ? ", biases" : ", no biases") << (settings.nonnegative ? ", no factor below 0" : "")
      << ", lambda " << io::six_digits(settings.penalty * model.penalty_scale)
      << (settings.by_rating ? " for each rating of a user or an item (weighted by counts)"
                             : " for each user and item (not weighted by counts)")
      << "\n";
  const std::vector<double> spread = variances(model.items, settings.rank);
  std::vector<std::size_t> order(spread.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return spread[a] > spread[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(call.options.integer("factors"))));
  for (const std::size_t k : order) print_factor(model, k, static_cast<std::size_t>(call.options.integer("top")), out);
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "prints sizes, and items of the strongest factors",
          .options = kShowOptions,
          .run = show};
}

}  // namespace rota::mf
