#include "apps/linear/shard_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rota/error.h"
#include "rota/io/number_list.h"
#include "rota/seed_mixer.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

constexpr Key kAllKeys = std::numeric_limits<Key>::max();

// Collects the labels of all rows, and converts those of the hosted ones to targets.
class Targets {
 public:
  explicit Targets(const RowOptions& settings) : loss_(settings.loss), settings_(settings) {}

  void add(const RowFiles& files, double label) {
    if (loss_ == Loss::squared) return;
    if (last_ == label && classes_.size() > 0) return;
    last_ = label;
    classes_.add(label);
    if (loss_ != Loss::softmax && !settings_.one_against_rest && classes_.size() > 2)
      files.fail("a third label, " + io_text(label) +
                 ": a loss of two classes (--loss=softmax takes more, and --one_against_rest)");
    if (classes_.size() > kMostClasses) files.fail("more than " + std::to_string(kMostClasses) + " different labels");
  }
  void require_classes(const std::string& file) const {
    if (loss_ != Loss::squared && classes_.size() < 2)
      throw DataError(file, 0, "expected labels of at least two classes, found only one: " + classes_.text());
  }
  double target(const RowFiles& files, double label) const {
    if (loss_ == Loss::squared) return label;
    const auto k = classes_.find(label);
    if (!k) files.fail("the label " + io_text(label) + " is none of the training data's, " + classes_.text());
    return target_of(*k, settings_.outputs(classes_.size()));
  }
  const ClassLabels& classes() const { return classes_; }

 private:
  static std::string io_text(double number) { return io::exact_text(number); }

  Loss loss_;
  const RowOptions& settings_;
  ClassLabels classes_;
  double last_ = 0;
};

// The weights of rows, with mean 1: --weights, --class_weights and the data's own importances together.
std::vector<double> row_weights(const RowOptions& settings, const std::vector<double>& labels,
                                std::vector<double> weights, const Targets& targets, const std::string& file) {
  if (weights.empty() && settings.weights.empty() && settings.class_weights == ClassWeights::equal) return {};
  weights.resize(labels.size(), 1.0);
  if (!settings.weights.empty()) {
    const std::vector<double> given = io::read_numbers(settings.weights, "a weight", 0);
    if (given.size() != labels.size())
      throw DataError(settings.weights, 0,
                      "expected a weight for each of the " + std::to_string(labels.size()) + " rows, found " +
                          std::to_string(given.size()));
    for (std::size_t i = 0; i < given.size(); ++i) weights[i] *= given[i];
  }
  if (settings.class_weights == ClassWeights::balanced) {
    std::vector<double> of_class(targets.classes().size());
    for (std::size_t i = 0; i < labels.size(); ++i) of_class[*targets.classes().find(labels[i])] += weights[i];
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (weights[i] > 0) weights[i] /= of_class[*targets.classes().find(labels[i])];
  }
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (!(sum > 0 && std::isfinite(sum)))
    throw DataError(file, 0, "the sum of the rows' weights is not a positive number");
  const double scale = static_cast<double>(weights.size()) / sum;
  for (double& weight : weights) weight *= scale;
  return weights;
}

}  // namespace

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

std::span<const std::pair<std::uint32_t, double>> FeatureKeys::of_row(const LabelledRow& row) {
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

void add_row(const RowFiles& files, const LabelledRow& row, FeatureKeys& key, const Origins& origins, bool intercept,
             Key keys, Rows& rows) {
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
  if (with_origin < origins.keys().size())
    for (const std::uint32_t k : origins.keys()) {
      const auto at = std::ranges::lower_bound(entries, k, {}, [](const auto& entry) { return entry.first; });
      if (at == entries.end() || at->first != k) rows.add_entry({k, static_cast<float>(-origins[k])});
    }
  rows.end_row();
}

namespace {

// Statistics that are collected while the rows are read.
struct Reading {
  FeatureCounts counts;
  Responses responses;
  Targets targets;
  std::vector<double> labels, importances;  // of all rows, if they are needed
  double importance = 0;                    // their sum
  std::uint64_t rows = 0, columns = 0;
};

void read_training(RowFiles& input, const RowOptions& settings, std::uint32_t shards, HostedShards<ShardRows>& training,
                   HostedShards<std::uint64_t>& rows_of, Reading& reading) {
  FeatureKeys key(settings.bits);
  const auto count = [&](const LabelledRow& row) {
    reading.targets.add(input, row.label);
    reading.importance += row.weight;
    if (settings.loss == Loss::squared && !(std::abs(row.label) <= kLargestResponse))
      input.fail("a label above 1e100: scale the data");
    if (settings.loss == Loss::squared) reading.responses.add(row.label, row.weight);
    if (settings.intercept) reading.counts.add(static_cast<std::uint32_t>(kIntercept), 1);
    if (settings.bits == 0 && !row.columns.empty() && row.columns.back() >= kMostFeatures)
      input.fail("feature " + std::to_string(row.columns.back() + 1) + ": more than " + std::to_string(kMostFeatures) +
                 " features have to be hashed (--bits)");
    for (const auto& [k, value] : key.of_row(row)) reading.counts.add(k, value);
  };
  const auto keep = [&](const LabelledRow& row) {
    count(row);
    reading.labels.push_back(row.label);
    if (settings.format == RowFormat::vw) reading.importances.push_back(row.weight);
    ShardRows* const shard = training.of_item(row.number);
    if (shard == nullptr) return;
    add_row(input, row, key, {}, settings.intercept, kAllKeys, shard->rows);
    shard->targets.push_back(row.label);
  };
  for (std::uint32_t s = 0; s < (settings.stream ? shards : 1); ++s) {
    if (settings.stream)
      input.each_of(s, shards, count);
    else
      input.each(keep);
    reading.rows += input.rows();
    reading.columns = std::max(reading.columns, input.columns());
    if (settings.stream && rows_of.of_shard(s) != nullptr) *rows_of.of_shard(s) = input.rows();
  }
}

// Reads the training rows again, now subtracts the origins of columns, and counts the results.  Returns whether the
// number of rows is the same.
bool hold_less(RowFiles& input, const RowOptions& settings, std::uint32_t shards, const DataFacts& facts,
               HostedShards<ShardRows>& training, Reading& reading) {
  const Origins& origins = facts.origins;
  FeatureKeys key(settings.bits);
  for (const std::uint32_t k : origins.keys()) reading.counts.all()[k] = {};
  for (ShardRows& shard : training.all()) shard.rows = {};
  std::uint64_t rows = 0;
  const auto again = [&](const LabelledRow& row) {
    Rows one;
    add_row(input, row, key, origins, settings.intercept, facts.keys, one);
    for (const Entry& entry : one[0])
      if (origins[entry.key] != 0) reading.counts.add(entry.key, static_cast<double>(entry.value));
    ++rows;
    ShardRows* const shard = settings.stream ? nullptr : training.of_item(row.number);
    if (shard == nullptr) return;
    shard->rows.add_entries(one[0]);
    shard->rows.end_row();
  };
  if (!settings.stream) input.each(again);
  for (std::uint32_t s = 0; settings.stream && s < shards; ++s) input.each_of(s, shards, again);
  return rows == reading.rows;
}

// A feature with smaller values has lost digits, or become 0.
void require_sizes(const FeatureCounts& counts, const std::string& file) {
  for (std::size_t key = 0; key < counts.all().size(); ++key)
    if (const auto& one = counts.all()[key]; one.rows > 0 && one.largest() < kSmallestScale)
      throw DataError(file, 0,
                      "feature " + std::to_string(key) + ": its largest value is " + io::exact_text(one.largest()) +
                          ", below the range of single precision: scale it");
}

}  // namespace

LoadedData load_data(const std::vector<std::string>& files, const std::vector<std::string>& valid,
                     const RowOptions& settings, std::uint32_t shards, std::span<const ShardId> hosted) {
  FeatureKeys key(settings.bits);
  LoadedData out;
  HostedShards<ShardRows> training(shards, hosted), held_out(shards, hosted);
  HostedShards<std::uint64_t> rows_of(shards, hosted);
  Reading reading{{}, {}, Targets(settings), {}, {}};
  const Targets& targets = reading.targets;
  RowFiles input(files, settings.format, settings.index_from);
  read_training(input, settings, shards, training, rows_of, reading);
  const std::uint64_t rows = reading.rows;
  if (rows == 0) throw DataError(files.front(), 0, "the data has no rows");
  require_dealt(rows, shards);
  targets.require_classes(files.front());
  if (!(reading.importance > 0 && std::isfinite(reading.importance)))
    throw DataError(files.front(), 0, "the sum of the rows' importances is not positive");
  out.facts.rows = rows;
  out.own_keys = (settings.bits == 0 ? reading.columns : Key{1} << settings.bits) + 1;
  out.facts.keys = std::max(settings.least_keys, out.own_keys);
  out.facts.classes = targets.classes();
  out.facts.responses = reading.responses;
  require_sizes(reading.counts, files.front());
  out.far = reading.counts.far(rows);
  if (settings.intercept && !settings.penalized_intercept && !out.far.empty()) {
    out.facts.origins = out.far;
    if (!hold_less(input, settings, shards, out.facts, training, reading))
      throw DataError(files.front(), 0, "the data has changed since it was first read");
    require_sizes(reading.counts, files.front());
  }
  out.facts.weight_scale = static_cast<double>(rows) / reading.importance;
  out.scales = reading.counts.scales(settings, rows, out.facts.keys);
  out.counts = std::move(reading.counts);
  const std::vector<double> weights =
      row_weights(settings, reading.labels, std::move(reading.importances), targets, files.front());
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    ShardRows& shard = training.all()[i];
    for (double& label : shard.targets) label = targets.target(input, label);
    if (weights.empty()) continue;
    for (std::uint64_t row = hosted[i]; row < rows; row += shards) shard.weights.push_back(weights[row]);
  }
  RowFiles others(valid, settings.format, settings.index_from);
  double importance = 0;
  others.each([&](const LabelledRow& row) {
    importance += row.weight;
    const double target = targets.target(others, row.label);
    ShardRows* const shard = held_out.of_item(row.number);
    if (shard == nullptr) return;
    add_row(others, row, key, out.facts.origins, settings.intercept, out.facts.keys, shard->rows);
    shard->targets.push_back(target);
    if (settings.format == RowFormat::vw) shard->weights.push_back(row.weight);
  });
  if (!valid.empty() && others.rows() > 0 && !(importance > 0 && std::isfinite(importance)))
    throw DataError(valid.front(), 0, "the sum of the rows' importances is not positive");
  for (ShardRows& shard : held_out.all())
    for (double& weight : shard.weights) weight *= static_cast<double>(others.rows()) / importance;
  if (!valid.empty() && others.rows() == 0) throw DataError(valid.front(), 0, "the held-out data has no rows");
  out.facts.held_out_rows = static_cast<double>(others.rows());
  out.training = std::move(training.all());
  out.held_out = std::move(held_out.all());
  out.rows_of = std::move(rows_of.all());
  return out;
}

}  // namespace rota::linear
