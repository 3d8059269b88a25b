#include "io/vw_rows.h"

#include <algorithm>

#include "rota/io/decimal.h"
#include "rota/io/numbers.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::io {
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
  return colon == std::string_view::npos || parse_number(field.substr(colon + 1), number);
}

}  // namespace

std::optional<WrongLine> VwRows::parse(std::string_view text, LibsvmSize& size) {
  for (std::vector<double>* const list : {&labels_, &weights_, &values_}) list->clear();
  begins_.clear();
  ends_.clear();
  columns_.clear();
  const std::uint64_t before = size.lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const std::string_view line = text.substr(at, end - at); !is_blank(line)) {
      begins_.push_back(at);
      if (std::string wrong = parse_line(line); !wrong.empty()) return WrongLine{size.lines - before, std::move(wrong)};
      ++size.rows;
    }
    ++size.lines;
    at = end + 1;
  }
  return std::nullopt;
}

std::string VwRows::parse_line(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return "expected a bar, |, before the features";
  if (std::string wrong = parse_head(line.substr(0, bar)); !wrong.empty()) return wrong;
  features_.clear();
  if (std::string wrong = parse_features(line.substr(bar)); !wrong.empty()) return wrong;
  end_row();
  return {};
}

std::string VwRows::parse_head(std::string_view head) {
  double& label = labels_.emplace_back();
  double& importance = weights_.emplace_back(1);
  // A tag directly precedes the bar.
  std::string_view rest = head;
  const bool attached = !head.empty() && !is_blank(head.back());
  std::vector<std::string_view> fields;
  for (std::string_view field; !(field = next_field(rest)).empty();) fields.push_back(field);
  if (!fields.empty() && (attached || fields.back().front() == '\'')) fields.pop_back();
  if (fields.empty()) return "expected a label and a blank after it";
  if (!parse_number(fields[0], label)) return "expected a label, found " + quoted(fields[0]);
  if (fields.size() > 2) return "expected label, importance and tag at most before the first bar";
  if (fields.size() == 2 && !(parse_number(fields[1], importance) && importance >= 0))
    return "expected an importance, a number of at least 0, found " + quoted(fields[1]);
  return {};
}

// Parses from a bar to the end.
std::string VwRows::parse_features(std::string_view text) {
  std::uint64_t space = 0;
  double scale = 1;
  while (!text.empty()) {
    if (text.front() == '|') {
      text.remove_prefix(1);
      // A namespace's name directly follows its bar.
      std::string_view name, head;
      if (!text.empty() && !is_blank(text.front()) && text.front() != '|')
        head = text.substr(0, text.find_first_of("| \t\r\v\f"));
      text.remove_prefix(head.size());
      scale = 1;
      if (!split(head, name, scale)) return "expected a number after the colon, found " + quoted(head);
      space = hash_of(name, 1);
    } else if (is_blank(text.front())) {
      text.remove_prefix(1);
    } else {
      const std::string_view field = text.substr(0, text.find_first_of("| \t\r\v\f"));
      text.remove_prefix(field.size());
      std::string_view name;
      double value = 1;
      if (!split(field, name, value)) return "expected a number after the colon, found " + quoted(field);
      features_.emplace_back(static_cast<std::uint32_t>(hash_of(name, space)), value * scale);
    }
  }
  return {};
}

void VwRows::end_row() {
  std::stable_sort(features_.begin(), features_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < features_.size();) {
    const std::uint32_t column = features_[i].first;
    double sum = 0;
    for (; i < features_.size() && features_[i].first == column; ++i) sum += features_[i].second;
    if (sum == 0) continue;
    columns_.push_back(column);
    values_.push_back(sum);
  }
  ends_.push_back(columns_.size());
}

}  // namespace rota::io
