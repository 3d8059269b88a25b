#include "apps/linear_models/shard_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rota/error.h"
#include "rota/io/number_list.h"
#include "rota/io/numbers.h"
#include "rota/seed_mixer.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

constexpr Key kAllKeys = std::numeric_limits<Key>::max();
// A value is rounded to single precision after the check against kLargestValue, and a mean may have been subtracted.
constexpr float kLargestEntry = 2 * static_cast<float>(kLargestValue);

// Encodes differences between neighbouring keys, small ones of either sign near 0: hashed keys do not ascend.
std::uint64_t zigzag(std::int64_t difference) {
  return (static_cast<std::uint64_t>(difference) << 1) ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

std::string found_only_one(const ClassLabels& labels) {
  return "expected labels of at least two classes, found only one: " + labels.text();
}

constexpr const char* kTwoClasses = ": a loss of two classes (--loss=softmax takes more, and --one_against_rest)";

bool takes_two_classes(const RowOptions& options) {
  return has_two_classes(options.loss) && !options.one_against_rest;
}

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
    std::int64_t before = 0;
    for (const Entry& entry : row) out.put_varint(zigzag(entry.key - std::exchange(before, entry.key)));
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
    std::int64_t key = 0;
    for (std::uint64_t left = head / 2; left > 0 && in.ok(); --left) {
      key += unzigzag(in.get_bounded(2 * kMostFeatures + 2));
      if (key < 0 || static_cast<Key>(key) > kMostFeatures || entries_.size() == entries) in.fail();
      add_entry({static_cast<std::uint32_t>(key), 1});
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
  if (with_origin < origins.keys().size())
    for (const std::uint32_t k : origins.keys()) {
      const auto at = std::ranges::lower_bound(entries, k, {}, [](const auto& entry) { return entry.first; });
      if (at == entries.end() || at->first != k) rows.add_entry({k, static_cast<float>(-origins[k])});
    }
  rows.end_row();
}

std::string label_text(const io::RowFiles& files, double label) {
  const std::vector<std::string> words = files.words();
  return words.empty() ? io::exact_text(label) : words.at(static_cast<std::size_t>(label));
}

std::string feature_text(const std::vector<std::string>& names, std::uint32_t bits, Key key) {
  const bool named = bits == 0 && key != kIntercept && key <= names.size();
  return std::to_string(key) + (named ? " (" + names[key - 1] + ")" : "");
}

bool RowData::fits(const RowFacts& facts, const Job& job, ShardId shard) const {
  const bool intercept = job.options.flag("intercept");
  // The intercept is the first entry of a row, if there is one, and nowhere else.
  const auto is_right = [&](const ShardRows& data, std::uint64_t count, Key keys) {
    if (data.rows.size() != count) return false;
    for (std::size_t r = 0; r < count; ++r) {
      const std::span<const Entry> row = data.rows[r];
      if (intercept && (row.empty() || row[0].key != kIntercept || row[0].value != 1)) return false;
      for (const Entry& entry : row.subspan(intercept ? 1 : 0))
        if (entry.key == kIntercept || entry.key >= keys) return false;
    }
    const auto is_number = [](double number) { return std::isfinite(number); };
    return std::ranges::all_of(data.targets, is_number) &&
           std::ranges::all_of(data.weights, [&](double weight) { return is_number(weight) && weight >= 0; });
  };
  return is_right(training, dealt_to(shard, facts.rows, job.shards), facts.keys) &&
         is_right(held_out, dealt_to(shard, facts.held_out_rows, job.shards), kMostFeatures + 1);
}

namespace {

// Reads the rows, and collects the statistics of all of them.
class Loading {
 public:
  Loading(const std::vector<std::string>& files, const RowOptions& options, std::uint32_t shards,
          std::span<const ShardId> hosted, bool packing)
      : files_(files),
        options_(options),
        form_(options.form),
        shards_(shards),
        hosted_(hosted.begin(), hosted.end()),
        packing_(packing),
        has_classes_(packing ? options.class_weights == ClassWeights::balanced : options.loss != Loss::squared),
        data_(shards, hosted),
        key_(options.bits) {
    form_.labels = io::RowForm::Labels::required;
    form_.words_allowed = packing || has_classes_;
  }

  RowsRead run(const std::vector<std::string>& valid) {
    each_row([&](const io::RowFiles& input, const io::LabelledValues& row) { take(input, row); });
    finish_facts();
    if (!words_.empty()) sort_words();
    if (options_.intercept && (packing_ || !options_.penalized_intercept) && !facts_.far.empty()) centre();
    weigh();
    if (!valid.empty()) read_held_out(valid);
    return {std::move(facts_), std::move(data_.all())};
  }

 private:
  // Calls visit(files, row) for all rows of training, in the order of the files.
  template <typename Visit>
  void each_row(const Visit& visit) {
    for (section_ = 0; section_ < (options_.stream ? shards_ : 1); ++section_) {
      io::RowFiles input =
          options_.stream ? io::RowFiles(files_, form_, io::Section{section_, shards_}) : io::RowFiles(files_, form_);
      for (io::LabelledValues row; input.next(row);) visit(input, row);
      columns_ = std::max(columns_, input.columns());
      facts_.names = input.names();
      words_ = input.words();
    }
  }

  void take(const io::RowFiles& input, const io::LabelledValues& row) {
    take_label(input, row);
    facts_.importance += row.weight;
    if (options_.intercept) facts_.counts.add(static_cast<std::uint32_t>(kIntercept), 1);
    if (options_.bits == 0 && !row.columns.empty() && row.columns.back() >= kMostFeatures)
      input.fail("feature " + std::to_string(row.columns.back() + 1) + ": more than " + std::to_string(kMostFeatures) +
                 " features have to be hashed (--bits)");
    for (const auto& [k, value] : key_.of_row(row)) facts_.counts.add(k, value);
    if (options_.is_vw() && !options_.stream) importances_.push_back(row.weight);
    RowData* const data = options_.stream ? data_.of_shard(section_) : data_.of_item(facts_.rows);
    ++facts_.rows;
    if (data == nullptr) return;
    if (options_.stream) {
      ++data->streamed;
      return;
    }
    add_row(input, row, key_, {}, options_.intercept, kAllKeys, data->training.rows);
    data->training.targets.push_back(row.label);
  }

  void take_label(const io::RowFiles& input, const io::LabelledValues& row) {
    if (std::abs(row.label) <= kLargestResponse)
      facts_.responses.add(row.label, row.weight);
    else if (!has_classes_)
      input.fail("a label above 1e100: scale the data");
    if (options_.class_weights == ClassWeights::balanced) labels_.push_back(row.label);
    ClassLabels& known = facts_.labels;
    if ((last_ == row.label && known.size() > 0) || known.size() > kMostClasses) return;
    last_ = row.label;
    known.add(row.label);
    if (!has_classes_) return;
    if (!packing_ && takes_two_classes(options_) && known.size() > 2)
      input.fail("a third label, " + label_text(input, row.label) + kTwoClasses);
    if (known.size() > kMostClasses) input.fail("more than " + std::to_string(kMostClasses) + " different labels");
  }

  void finish_facts() {
    const std::string& file = files_.front();
    if (facts_.rows == 0) throw DataError(file, 0, "the data has no rows");
    require_dealt(facts_.rows, shards_);
    if (has_classes_ && facts_.labels.size() < 2) throw DataError(file, 0, found_only_one(facts_.labels));
    if (!(facts_.importance > 0 && std::isfinite(facts_.importance)))
      throw DataError(file, 0, "the sum of the rows' importances is not positive");
    facts_.keys = (options_.bits == 0 ? columns_ : Key{1} << options_.bits) + 1;
    facts_.counts.all().resize(facts_.keys);
    require_sizes();
    facts_.far = facts_.counts.far(facts_.rows);
    if (facts_.labels.size() > kMostClasses) facts_.labels = {};
  }

  // A feature with smaller values has lost digits, or become 0.
  void require_sizes() const {
    for (Key key = 0; key < facts_.keys; ++key)
      if (const auto& one = facts_.counts.all()[key]; one.rows > 0 && one.largest() < kSmallestScale)
        throw DataError(files_.front(), 0,
                        "feature " + feature_text(facts_.names, options_.bits, key) + ": its largest value is " +
                            io::exact_text(one.largest()) + ", below the range of single precision: scale it");
  }

  // Labels become the positions of their words in alphabetical order.
  void sort_words() {
    std::vector<double> place(words_.size());
    facts_.words = words_;
    std::ranges::sort(facts_.words);
    for (std::size_t i = 0; i < words_.size(); ++i)
      place[i] = static_cast<double>(std::ranges::lower_bound(facts_.words, words_[i]) - facts_.words.begin());
    form_.words = facts_.words;
    const auto move = [&](std::vector<double>& labels) {
      for (double& label : labels) label = place[static_cast<std::size_t>(label)];
    };
    move(labels_);
    for (RowData& data : data_.all()) move(data.training.targets);
    facts_.labels.set_words(facts_.words);
  }

  // Reads the rows again, now subtracts the origins of columns, and counts the results.
  void centre() {
    facts_.centred = true;
    for (const std::uint32_t k : facts_.far.keys()) facts_.counts.all()[k] = {};
    for (RowData& data : data_.all()) data.training.rows = {};
    std::uint64_t rows = 0;
    each_row([&](const io::RowFiles& input, const io::LabelledValues& row) {
      Rows one;
      add_row(input, row, key_, facts_.far, options_.intercept, facts_.keys, one);
      for (const Entry& entry : one[0])
        if (facts_.far[entry.key] != 0) facts_.counts.add(entry.key, static_cast<double>(entry.value));
      RowData* const data = options_.stream ? nullptr : data_.of_item(rows);
      ++rows;
      if (data == nullptr) return;
      data->training.rows.add_entries(one[0]);
      data->training.rows.end_row();
    });
    if (rows != facts_.rows) throw DataError(files_.front(), 0, "the data has changed since it was first read");
    require_sizes();
  }

  // The weights of rows, with mean 1: --weights, --class_weights and the data's own importances together.
  void weigh() {
    const bool balanced = options_.class_weights == ClassWeights::balanced;
    std::vector<double> weights = std::move(importances_);
    if (weights.empty() && options_.weights.empty() && !balanced) return;
    weights.resize(facts_.rows, 1.0);
    if (!options_.weights.empty()) {
      const std::vector<double> given = io::read_numbers(options_.weights, "a weight", 0);
      if (given.size() != weights.size())
        throw DataError(options_.weights, 0,
                        "expected a weight for each of the " + std::to_string(weights.size()) + " rows, found " +
                            std::to_string(given.size()));
      for (std::size_t i = 0; i < given.size(); ++i) weights[i] *= given[i];
    }
    if (balanced) {
      std::vector<double> of_class(facts_.labels.size());
      for (std::size_t i = 0; i < labels_.size(); ++i) of_class[*facts_.labels.find(labels_[i])] += weights[i];
      for (std::size_t i = 0; i < labels_.size(); ++i)
        if (weights[i] > 0) weights[i] /= of_class[*facts_.labels.find(labels_[i])];
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(sum > 0 && std::isfinite(sum)))
      throw DataError(files_.front(), 0, "the sum of the rows' weights is not a positive number");
    const double scale = static_cast<double>(weights.size()) / sum;
    for (const ShardId shard : hosted_)
      for (std::uint64_t row = shard; row < facts_.rows; row += shards_)
        data_.of_shard(shard)->training.weights.push_back(weights[row] * scale);
  }

  void read_held_out(const std::vector<std::string>& valid) {
    form_.names = facts_.names;
    form_.words_allowed = !facts_.words.empty();
    io::RowFiles input(valid, form_);
    double importance = 0;
    const Origins none;
    for (io::LabelledValues row; input.next(row);) {
      importance += row.weight;
      if (has_classes_ && !facts_.labels.find(row.label))
        input.fail("the label " + label_text(input, row.label) + " is none of the training data's, " +
                   facts_.labels.text());
      RowData* const data = data_.of_item(facts_.held_out_rows);
      ++facts_.held_out_rows;
      if (data == nullptr) continue;
      ShardRows& rows = data->held_out;
      add_row(input, row, key_, facts_.centred ? facts_.far : none, options_.intercept, kMostFeatures + 1, rows.rows);
      rows.targets.push_back(row.label);
      if (options_.is_vw()) rows.weights.push_back(row.weight);
    }
    if (facts_.held_out_rows == 0) throw DataError(valid.front(), 0, "the held-out data has no rows");
    if (!(importance > 0 && std::isfinite(importance)))
      throw DataError(valid.front(), 0, "the sum of the rows' importances is not positive");
    for (RowData& data : data_.all())
      for (double& weight : data.held_out.weights) weight *= static_cast<double>(facts_.held_out_rows) / importance;
  }

  const std::vector<std::string>& files_;
  const RowOptions& options_;
  io::RowForm form_;
  std::uint32_t shards_;
  std::vector<ShardId> hosted_;
  bool packing_, has_classes_;
  HostedShards<RowData> data_;
  FeatureKeys key_;
  RowFacts facts_;
  std::uint32_t section_ = 0;
  std::uint64_t columns_ = 0;
  std::vector<std::string> words_;            // in the order of the rows
  double last_ = 0;                           // label
  std::vector<double> labels_, importances_;  // of all rows, if they are needed
};

}  // namespace

RowsRead read_data(const std::vector<std::string>& files, const std::vector<std::string>& valid,
                   const RowOptions& options, std::uint32_t shards, std::span<const ShardId> hosted, bool packing) {
  return Loading(files, options, shards, hosted, packing).run(valid);
}

DataFacts facts_for(const RowOptions& options, const RowFacts& facts, const std::string& name) {
  DataFacts out{.rows = facts.rows,
                .keys = std::max(options.least_keys, facts.keys),
                .classes = {},
                .weight_scale = static_cast<double>(facts.rows) / facts.importance,
                .responses = facts.responses,
                .centre = 0,
                .origins = facts.centred ? facts.far : Origins()};
  if (options.loss == Loss::squared) {
    if (!facts.words.empty()) throw DataError(name, 0, "labels are words, and --loss=squared requires numbers");
    return out;
  }
  out.classes = facts.labels;
  out.classes.set_words(facts.words);
  const std::size_t count = out.classes.size();
  if (count == 0) throw DataError(name, 0, "more than " + std::to_string(kMostClasses) + " different labels");
  if (count < 2) throw DataError(name, 0, found_only_one(out.classes));
  if (count > 2 && takes_two_classes(options))
    throw DataError(name, 0, "found more than two labels, " + out.classes.text() + kTwoClasses);
  return out;
}

void make_targets(const RowOptions& options, const DataFacts& facts, const std::string& name, ShardRows& data) {
  if (options.loss == Loss::squared) return;
  const std::uint32_t outputs = options.outputs(facts.classes.size());
  for (double& target : data.targets) {
    const auto k = facts.classes.find(target);
    if (!k)
      throw DataError(
          name, 0, "the label " + io::exact_text(target) + " is none of the training data's, " + facts.classes.text());
    target = target_of(*k, outputs);
  }
}

}  // namespace rota::linear
