#include "apps/linear/packed_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rota/error.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

// A value is rounded to single precision after the check against kLargestValue, and a mean may have been subtracted.
constexpr float kLargestEntry = 2 * static_cast<float>(kLargestValue);

// Encodes differences between neighbouring keys, small ones of either sign near 0: hashed keys do not ascend.
std::uint64_t zigzag(std::int64_t difference) {
  return (static_cast<std::uint64_t>(difference) << 1) ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

void pack_row(std::span<const Entry> row, Writer& out) {
  const bool ones = std::all_of(row.begin(), row.end(), [](const Entry& entry) { return entry.value == 1; });
  out.put_varint(row.size() * 2 + (ones ? 1 : 0));
  std::int64_t before = 0;
  for (const Entry& entry : row) out.put_varint(zigzag(entry.key - std::exchange(before, entry.key)));
  for (const Entry& entry : row)
    if (!ones) out.put(entry.value);
}

void pack_rows(const ShardRows& data, Writer& out) {
  const std::size_t rows = data.rows.size();
  out.put_varint(rows);
  out.put_varint(data.rows.entries());
  for (std::size_t r = 0; r < rows; ++r) pack_row(data.rows[r], out);
  out.put_all(std::span<const double>(data.targets));
  out.put_all(std::span<const double>(data.weights));
}

// Checks what the other steps assume of a row: the intercept first if there is one, and nowhere else; keys below
// `keys`.
void unpack_row(Reader& in, bool intercept, Key keys, std::vector<Entry>& row) {
  const std::uint64_t head = in.get_varint();
  const std::uint64_t size = head / 2;
  // If names are hashed, a row may have many entries of one key, each at least a byte.
  if (size > io::kMostRows) in.fail();
  row.clear();
  std::int64_t key = 0;
  for (std::uint64_t i = 0; i < size && in.ok(); ++i) {
    key += unzigzag(in.get_bounded(2 * kMostFeatures + 2));
    const bool first = i == 0 && intercept;
    if (key < 0 || static_cast<Key>(key) >= keys || (key == static_cast<std::int64_t>(kIntercept)) != first) in.fail();
    row.push_back({static_cast<std::uint32_t>(key), 1});
  }
  if (head % 2 == 0)
    for (Entry& entry : row) entry.value = in.get<float>();
  for (const Entry& entry : row)
    if (!(std::abs(entry.value) <= kLargestEntry)) in.fail();
  if (intercept && (row.empty() || row[0].value != 1)) in.fail();
}

bool are_numbers(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double one) { return std::isfinite(one); });
}

// Entries with keys beyond the job's table are left out, as in reading text; `own_keys` is the limit of valid keys.
ShardRows unpack_rows(Reader& in, std::uint64_t rows, bool intercept, Key own_keys, Key keys) {
  ShardRows data;
  if (in.get_count(1) != rows) in.fail();
  const std::size_t entries = in.get_count(1);
  if (in.ok()) data.rows.reserve(rows, entries);
  std::vector<Entry> row;
  std::size_t left = entries;
  for (std::uint64_t r = 0; r < rows && in.ok(); ++r) {
    unpack_row(in, intercept, own_keys, row);
    if (row.size() > left) in.fail();
    left -= std::min(left, row.size());
    if (keys < own_keys) std::erase_if(row, [&](const Entry& entry) { return entry.key >= keys; });
    data.rows.add_entries(row);
    data.rows.end_row();
  }
  if (left > 0) in.fail();
  data.targets = in.get_all<double>();
  data.weights = in.get_all<double>();
  const bool weighted = !data.weights.empty();
  if (data.targets.size() != rows || (weighted && data.weights.size() != rows)) in.fail();
  if (!are_numbers(data.targets) || !are_numbers(data.weights)) in.fail();
  if (std::any_of(data.weights.begin(), data.weights.end(), [](double weight) { return weight < 0; })) in.fail();
  return data;
}

struct Common {
  std::uint64_t rows = 0, held_out_rows = 0;
  Key keys = 0;
  Responses responses;
  ClassLabels labels;
  FeatureCounts counts;
  Origins far;
};

void pack_common(const LoadedData& data, const ClassLabels& labels, DataPacker& out) {
  Writer common;
  common.put_varint(data.facts.rows);
  common.put_varint(data.own_keys);
  common.put_varint(static_cast<std::uint64_t>(data.facts.held_out_rows));
  for (const double number : {data.facts.responses.weight, data.facts.responses.mean, data.facts.responses.squares})
    common.put(number);
  common.put_all(std::span<const double>(labels.size() > kMostClasses ? std::vector<double>() : labels.all()));
  const auto& counts = data.counts.all();
  const auto has_rows = [](const FeatureCounts::Counts& one) { return one.rows > 0; };
  common.put_varint(static_cast<std::uint64_t>(std::count_if(counts.begin(), counts.end(), has_rows)));
  for (std::size_t key = 0; key < counts.size(); ++key) {
    if (!has_rows(counts[key])) continue;
    common.put_varint(key);
    common.put_varint(static_cast<std::uint64_t>(counts[key].rows));
    common.put(counts[key].squares);
    common.put(counts[key].least);
    common.put(counts[key].most);
  }
  data.far.write(common);
  out.common(common.view());
}

Common unpack_common(Reader& in) {
  Common common;
  common.rows = in.get_bounded(io::kMostRows);
  common.keys = in.get_bounded<Key>(kMostFeatures + 1);
  common.held_out_rows = in.get_bounded(io::kMostRows);
  Responses& responses = common.responses;
  for (double* const number : {&responses.weight, &responses.mean, &responses.squares}) *number = in.get<double>();
  if (!(std::isfinite(responses.weight) && std::isfinite(responses.mean) && std::isfinite(responses.squares) &&
        responses.squares >= 0))
    in.fail();
  std::vector<double> labels = in.get_all<double>();
  if (common.rows == 0 || common.keys == 0 || labels.size() > kMostClasses || !are_numbers(labels) ||
      std::adjacent_find(labels.begin(), labels.end(), std::greater_equal<>()) != labels.end())
    in.fail();
  if (!in.ok()) return common;
  common.labels = ClassLabels(std::move(labels));
  auto& counts = common.counts.all();
  counts.resize(common.keys);
  const std::size_t features = in.get_count(26);
  for (std::size_t i = 0; i < features && in.ok(); ++i) {
    const auto key = in.get_bounded<Key>(common.keys - 1);
    auto& one = counts[in.ok() ? key : 0];
    // If names are hashed onto each other, a row may have several entries of the key.
    one.rows = static_cast<double>(in.get_bounded(std::uint64_t{1} << 53));
    one.squares = in.get<double>();
    one.least = in.get<double>();
    one.most = in.get<double>();
    if (!(one.rows > 0 && std::isfinite(one.squares) && one.squares >= 0 && one.least <= one.most &&
          std::isfinite(one.largest()) && one.largest() >= kSmallestScale))
      in.fail();
  }
  common.far = Origins::read(in, common.keys);
  return common;
}

// The classes of the loss, after checking that the labels fit it; none for numbers.
ClassLabels classes_for(const RowOptions& settings, const ClassLabels& labels, const std::string& name) {
  if (settings.loss == Loss::squared) return {};
  if (labels.size() == 0) throw DataError(name, 0, "more than " + std::to_string(kMostClasses) + " different labels");
  if (labels.size() < 2)
    throw DataError(name, 0, "expected labels of at least two classes, found only one: " + labels.text());
  if (labels.size() > 2 && settings.loss != Loss::softmax && !settings.one_against_rest)
    throw DataError(name, 0,
                    "found more than two labels, " + labels.text() +
                        ": a loss of two classes (--loss=softmax takes more, and --one_against_rest)");
  return labels;
}

void to_targets(const RowOptions& settings, const ClassLabels& classes, const std::string& name, ShardRows& rows) {
  if (settings.loss == Loss::squared) return;
  const std::uint32_t outputs = settings.outputs(classes.size());
  for (double& target : rows.targets) {
    const auto k = classes.find(target);
    if (!k)
      throw DataError(name, 0,
                      "the label " + io::exact_text(target) + " is none of the training data's, " + classes.text());
    target = target_of(*k, outputs);
  }
}

}  // namespace

void pack_data(const std::vector<std::string>& files, const std::vector<std::string>& valid, RowOptions settings,
               std::uint32_t shards, DataPacker& out) {
  // A loss of numbers takes labels unchanged; balanced weights need the classes.
  const bool balanced = settings.class_weights == ClassWeights::balanced;
  settings.loss = balanced ? Loss::softmax : Loss::squared;
  settings.one_against_rest = settings.stream = settings.penalized_intercept = false;
  settings.least_keys = kMostFeatures + 1;  // held-out rows keep entries that only a job with more keys uses
  std::vector<ShardId> all(shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  LoadedData data = load_data(files, valid, settings, shards, all);
  ClassLabels labels = data.facts.classes;
  if (balanced)
    for (auto* const rows : {&data.training, &data.held_out})
      for (ShardRows& one : *rows)
        for (double& target : one.targets) target = labels.label(static_cast<std::size_t>(target));
  for (const ShardRows& one : data.training)
    for (const double label : one.targets)
      if (labels.size() <= kMostClasses) labels.add(label);
  pack_common(data, labels, out);
  for (const ShardId shard : all) {
    Writer rows;
    pack_rows(data.training[shard], rows);
    pack_rows(data.held_out[shard], rows);
    const std::uint64_t count = data.training[shard].rows.size();
    data.training[shard] = data.held_out[shard] = {};
    out.shard(shard, count, rows.view());
  }
}

LoadedData unpack_data(const PackedData& packed, const RowOptions& settings, std::uint32_t shards,
                       std::span<const ShardId> hosted) {
  Common common = packed.common(unpack_common);
  LoadedData out;
  out.facts.rows = common.rows;
  out.facts.held_out_rows = static_cast<double>(common.held_out_rows);
  out.facts.responses = common.responses;
  out.facts.classes = classes_for(settings, common.labels, packed.name());
  out.own_keys = common.keys;
  out.facts.keys = std::max(settings.least_keys, common.keys);
  out.far = std::move(common.far);
  if (settings.intercept) out.facts.origins = out.far;
  out.scales = common.counts.scales(settings, common.rows, out.facts.keys);
  out.counts = std::move(common.counts);
  for (const ShardId shard : hosted) {
    const std::uint64_t rows = dealt_to(shard, common.rows, shards),
                        held = dealt_to(shard, common.held_out_rows, shards);
    auto [training, held_out] = packed.shard(shard, [&](Reader& in) {
      ShardRows first = unpack_rows(in, rows, settings.intercept, common.keys, out.facts.keys);
      return std::pair(std::move(first), unpack_rows(in, held, settings.intercept, kMostFeatures + 1, out.facts.keys));
    });
    for (ShardRows* const part : {&training, &held_out}) to_targets(settings, out.facts.classes, packed.name(), *part);
    out.training.push_back(std::move(training));
    out.held_out.push_back(std::move(held_out));
    out.rows_of.push_back(rows);
  }
  return out;
}

}  // namespace rota::linear
