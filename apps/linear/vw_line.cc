#include "apps/linear/vw_line.h"

#include <algorithm>

#include "rota/io/decimal.h"
#include "rota/io/numbers.h"
#include "rota/seed_mixer.h"

namespace rota::linear {
namespace {

std::uint64_t hash_of(std::string_view name, std::uint64_t before) {
  std::uint64_t state = before ^ name.size();
  for (const char c : name) state = next_mixed(state) ^ static_cast<unsigned char>(c);
  return next_mixed(state);
}

// name[:number]; false if the text after the colon is not a number.
bool split(std::string_view field, std::string_view& name, double& number) {
  const std::size_t colon = field.find(':');
  name = field.substr(0, colon);
  return colon == std::string_view::npos || io::parse_number(field.substr(colon + 1), number);
}

}  // namespace

std::string VwParser::parse(std::string_view line, VwLine& out) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return "expected a bar, |, before the features";
  out.importance = 1;
  if (std::string wrong = parse_head(line.substr(0, bar), out); !wrong.empty()) return wrong;
  features_.clear();
  if (std::string wrong = parse_features(line.substr(bar)); !wrong.empty()) return wrong;
  take(out);
  return {};
}

std::string VwParser::parse_head(std::string_view head, VwLine& out) {
  // A tag directly precedes the bar.
  std::string_view rest = head;
  const bool attached = !head.empty() && !io::is_blank(head.back());
  std::vector<std::string_view> fields;
  for (std::string_view field; !(field = io::next_field(rest)).empty();) fields.push_back(field);
  if (!fields.empty() && (attached || fields.back().front() == '\'')) fields.pop_back();
  if (fields.empty()) return "expected a label and a blank after it";
  if (!io::parse_number(fields[0], out.label)) return "expected a label, found " + io::quoted(fields[0]);
  if (fields.size() > 2) return "expected label, importance and tag at most before the first bar";
  if (fields.size() == 2 && !(io::parse_number(fields[1], out.importance) && out.importance >= 0))
    return "expected an importance, a number of at least 0, found " + io::quoted(fields[1]);
  return {};
}

// Parses from a bar to the end.
std::string VwParser::parse_features(std::string_view text) {
  std::uint64_t space = 0;
  double scale = 1;
  while (!text.empty()) {
    if (text.front() == '|') {
      text.remove_prefix(1);
      // A namespace's name directly follows its bar.
      std::string_view name, head;
      if (!text.empty() && !io::is_blank(text.front()) && text.front() != '|')
        head = text.substr(0, text.find_first_of("| \t\r\v\f"));
      text.remove_prefix(head.size());
      scale = 1;
      if (!split(head, name, scale)) return "expected a number after the colon, found " + io::quoted(head);
      space = hash_of(name, 1);
    } else if (io::is_blank(text.front())) {
      text.remove_prefix(1);
    } else {
      const std::string_view field = text.substr(0, text.find_first_of("| \t\r\v\f"));
      text.remove_prefix(field.size());
      std::string_view name;
      double value = 1;
      if (!split(field, name, value)) return "expected a number after the colon, found " + io::quoted(field);
      features_.emplace_back(static_cast<std::uint32_t>(hash_of(name, space)), value * scale);
    }
  }
  return {};
}

void VwParser::take(VwLine& out) {
  std::stable_sort(features_.begin(), features_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out.columns.clear();
  out.values.clear();
  for (std::size_t i = 0; i < features_.size();) {
    const std::uint32_t column = features_[i].first;
    double sum = 0;
    for (; i < features_.size() && features_[i].first == column; ++i) sum += features_[i].second;
    if (sum == 0) continue;
    out.columns.push_back(column);
    out.values.push_back(sum);
  }
}

}  // namespace rota::linear
