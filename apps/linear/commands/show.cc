// apps/linear/commands/show.cc -- rota show sgd: the heaviest features.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "apps/linear/commands/model.h"
#include "rota/error.h"
#include "rota/io/lines.h"
#include "rota/io/number_text.h"
#include "rota/utf8.h"

namespace rota::linear {
namespace {

constexpr Option kShowOptions[] = {
    integer_option("top", "20", "features", 0, 268435456.0, "Number of features shown, the heaviest first; 0: all."),
    {.name = "names", .kind = Option::Kind::path, .meaning = "File with the name of every feature, one a line."},
};

// Line j is the name of feature j.
std::vector<std::string> read_names(std::string_view path) {
  std::vector<std::string> names;
  if (path.empty()) return names;
  io::Lines lines{std::string(path)};
  for (std::string_view line; lines.next(line);) {
    if (!is_utf8(line)) lines.fail("a name is not UTF-8");
    names.emplace_back(line);
  }
  return names;
}

// Keys of the features with the largest weights of an output, without those that are 0.
std::vector<Key> heaviest(const LinearModel& model, std::uint32_t output, std::size_t most) {
  std::vector<Key> keys;
  for (Key key = kIntercept + 1; key < model.keys; ++key)
    if (model.weight(key, output) != 0) keys.push_back(key);
  const auto size = [&](Key key) { return std::abs(model.weight(key, output)); };
  std::stable_sort(keys.begin(), keys.end(), [&](Key a, Key b) { return size(a) > size(b); });
  if (most > 0) keys.resize(std::min(keys.size(), most));
  return keys;
}

}  // namespace

std::span<const Option> show_options() {
  return kShowOptions;
}

void show(const LinearModel& model, const Call& call, std::ostream& out) {
  if (model.rows.bits > 0 && call.options.has("names"))
    throw UsageError("--names: features of a model with --bits are hashed, and have no names");
  const std::vector<std::string> names = read_names(call.options.text("names"));
  out << model.keys - 1 << (model.rows.bits > 0 ? " hashed" : "") << " features, epoch " << call.model->epoch();
  if (model.classes.size() > 0) out << ", labels " << model.classes.text();
  out << "\n";
  for (std::uint32_t k = 0; k < model.outputs; ++k) {
    out << "\n";
    if (model.outputs > 1) out << "label " << io::exact_text(model.classes.label(k)) << "\n";
    if (model.rows.intercept) out << "  intercept  " << io::six_digits(model.weight(kIntercept, k)) << "\n";
    for (const Key key : heaviest(model, k, static_cast<std::size_t>(call.options.integer("top")))) {
      const std::string number = std::to_string(key);
      out << std::string(11 - std::min<std::size_t>(11, number.size()), ' ') << number << "  "
          << io::six_digits(model.weight(key, k));
      if (key <= names.size()) out << "  " << names[key - 1];
      out << "\n";
    }
  }
}

}  // namespace rota::linear
