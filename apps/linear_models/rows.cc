#include "apps/linear_models/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rota/io/number_text.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::linear {
namespace {

// A value is rounded to single precision after the check against kLargestValue, and a mean may have been subtracted.
constexpr float kLargestEntry = 2 * static_cast<float>(kLargestValue);

}  // namespace

void Rows::keep_below(Key keys) {
  std::size_t kept = 0, at = 0;
  for (std::size_t r = 0; r < size(); ++r) {
    for (; at < begins_[r + 1]; ++at)
      if (entries_[at].key < keys) entries_[kept++] = entries_[at];
    begins_[r + 1] = kept;
  }
  entries_.resize(kept);
}

void Rows::encode(Writer& out) const {
  out.put_varint(size());
  out.put_varint(entries());
  for (std::size_t r = 0; r < size(); ++r) {
    const std::span<const Entry> row = (*this)[r];
    const bool ones = std::ranges::all_of(row, [](const Entry& entry) { return entry.value == 1; });
    out.put_varint(row.size() * 2 + (ones ? 1 : 0));
    std::uint32_t before = 0;
    for (const Entry& entry : row) out.put_varint(entry.key - std::exchange(before, entry.key));
    for (const Entry& entry : row)
      if (!ones) out.put(entry.value);
  }
}

void Rows::decode(Reader& in) {
  const std::size_t rows = in.get_count(1), entries = in.get_count(1);
  if (in.ok()) reserve(rows, entries);
  for (std::size_t r = 0; r < rows && in.ok(); ++r) {
    const std::uint64_t head = in.get_varint();
    const std::size_t begin = entries_.size();
    std::uint32_t key = 0;
    for (std::uint64_t left = head / 2; left > 0 && in.ok(); --left) {
      key += in.get_bounded<std::uint32_t>(std::numeric_limits<std::uint32_t>::max());
      if (key > kMostFeatures || entries_.size() == entries) in.fail();
      add_entry({key, 1});
    }
    for (std::size_t i = begin; i < entries_.size() && in.ok(); ++i) {
      if (head % 2 == 0) entries_[i].value = in.get<float>();
      if (!(std::abs(entries_[i].value) <= kLargestEntry)) in.fail();
    }
    end_row();
  }
  if (entries_.size() != entries) in.fail();
}

ShardRows reordered(const ShardRows& data, std::span<const std::uint32_t> order) {
  ShardRows out;
  out.rows.reserve(data.rows.size(), data.rows.entries());
  for (const std::uint32_t r : order) {
    for (const Entry& entry : data.rows[r]) out.rows.add_entry(entry);
    out.rows.end_row();
    out.targets.push_back(data.targets[r]);
    if (!data.weights.empty()) out.weights.push_back(data.weights[r]);
  }
  return out;
}

std::uint32_t FeatureKeys::operator()(std::uint32_t column) const {
  if (bits_ == 0) return column + 1;
  return 1 + static_cast<std::uint32_t>(mixed({column}) >> (64 - bits_));
}

std::span<const std::pair<std::uint32_t, double>> FeatureKeys::of_row(const io::LabelledValues& row) {
  entries_.clear();
  for (std::size_t i = 0; i < row.columns.size(); ++i) entries_.emplace_back((*this)(row.columns[i]), row.values[i]);
  if (bits_ == 0) return entries_;
  std::stable_sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (kept > 0 && entries_[kept - 1].first == entries_[i].first)
      entries_[kept - 1].second += entries_[i].second;
    else
      entries_[kept++] = entries_[i];
  entries_.resize(kept);
  std::erase_if(entries_, [](const auto& entry) { return entry.second == 0; });
  return entries_;
}

void add_row(const io::RowFiles& files, const io::LabelledValues& row, FeatureKeys& key, const Origins& origins,
             bool intercept, Key keys, Rows& rows) {
  if (intercept) rows.add_entry({static_cast<std::uint32_t>(kIntercept), 1});
  std::size_t with_origin = 0;
  const auto entries = key.of_row(row);  // keys ascend
  for (const auto& [k, value] : entries) {
    if (!(std::abs(value) <= kLargestValue)) files.fail("a value above 1e15: scale the data");
    if (k >= keys) continue;
    const double origin = origins[k];
    if (origin != 0) ++with_origin;
    rows.add_entry({k, static_cast<float>(value - origin)});
  }
  if (with_origin < origins.keys.size())
    for (const std::uint32_t k : origins.keys) {
      const auto at = std::ranges::lower_bound(entries, k, {}, [](const auto& entry) { return entry.first; });
      if (at == entries.end() || at->first != k) rows.add_entry({k, static_cast<float>(-origins[k])});
    }
  rows.end_row();
}

std::string label_text(const io::RowFiles& files, double label) {
  const std::vector<std::string> words = files.words();
  return words.empty() ? io::exact_text(label) : words.at(static_cast<std::size_t>(label));
}

}  // namespace rota::linear
