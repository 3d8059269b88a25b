#include "apps/linear_models/read_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rota/error.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

constexpr Key kAllKeys = std::numeric_limits<Key>::max();
constexpr const char* kTwoClasses = ": a loss of two classes (--loss=softmax takes more, and --one_against_rest)";

std::string found_only_one(const ClassLabels& labels) {
  return "expected labels of at least two classes, found only one: " + labels.text();
}

bool takes_two_classes(const Settings& settings) {
  return has_two_classes(settings.loss) && !settings.one_against_rest;
}

// The intercept is the first entry of a row, if there is one, and nowhere else.
bool has_valid_rows(const ShardRows& data, std::uint64_t count, Key keys, bool intercept) {
  if (data.rows.size() != count) return false;
  for (std::size_t r = 0; r < count; ++r) {
    const std::span<const Entry> row = data.rows[r];
    if (intercept && (row.empty() || row[0].key != kIntercept || row[0].value != 1)) return false;
    for (const Entry& entry : row.subspan(intercept ? 1 : 0))
      if (entry.key == kIntercept || entry.key >= keys) return false;
  }
  return std::ranges::all_of(data.targets, [](double target) { return std::isfinite(target); }) &&
         std::ranges::all_of(data.weights, [](double weight) { return std::isfinite(weight) && weight >= 0; });
}

// Reads the rows, and collects the statistics of all of them.
class Reading {
 public:
  Reading(const Job& job, const Settings& settings, std::span<const ShardId> hosted, bool packing)
      : job_(job),
        settings_(settings),
        form_(settings.form),
        hosted_(hosted),
        packing_(packing),
        balanced_(settings.class_weights == ClassWeights::balanced),
        has_classes_(packing ? balanced_ : settings.loss != Loss::squared),
        data_(job.shards, hosted),
        key_(settings.bits) {
    form_.labels = io::RowForm::Labels::required;
    form_.words_allowed = packing || has_classes_;
  }

  PackedApp<RowFacts, RowData>::Loaded run() {
    each_row([&](const io::RowFiles& input, const io::LabelledValues& row) { take(input, row); });
    finish_facts();
    if (!words_.empty()) sort_words();
    if (settings_.intercept && (packing_ || !settings_.penalized_intercept) && !facts_.far.empty()) centre();
    weigh();
    if (!job_.valid.empty()) read_held_out();
    return {std::move(facts_), std::move(data_.all())};
  }

 private:
  const std::string& first_file() const { return job_.input.front(); }
  // Calls visit(files, row) for all rows of training, in the order of the files.
  template <typename Visit>
  void each_row(const Visit& visit) {
    for (section_ = 0; section_ < (settings_.stream ? job_.shards : 1); ++section_) {
      io::RowFiles input = settings_.stream ? io::RowFiles(job_.input, form_, io::Section{section_, job_.shards})
                                            : io::RowFiles(job_.input, form_);
      for (io::LabelledValues row; input.next(row);) visit(input, row);
      columns_ = std::max(columns_, input.columns());
      facts_.names = input.names();
      words_ = input.words();
    }
  }

  void take(const io::RowFiles& input, const io::LabelledValues& row) {
    take_label(input, row);
    facts_.importance += row.weight;
    if (settings_.intercept) facts_.counts.add(static_cast<std::uint32_t>(kIntercept), 1);
    if (settings_.bits == 0 && !row.columns.empty() && row.columns.back() >= kMostFeatures)
      input.fail("feature " + std::to_string(row.columns.back() + 1) + ": more than " + std::to_string(kMostFeatures) +
                 " features have to be hashed (--bits)");
    for (const auto& [k, value] : key_.of_row(row)) facts_.counts.add(k, value);
    if (settings_.is_vw() && !settings_.stream) importances_.push_back(row.weight);
    RowData* const data = settings_.stream ? data_.of_shard(section_) : data_.of_item(facts_.rows);
    ++facts_.rows;
    if (data == nullptr) return;
    if (settings_.stream) {
      ++data->streamed;
      return;
    }
    add_row(input, row, key_, {}, settings_.intercept, kAllKeys, data->training.rows);
    data->training.targets.push_back(row.label);
  }

  void take_label(const io::RowFiles& input, const io::LabelledValues& row) {
    if (std::abs(row.label) <= kLargestResponse)
      facts_.responses.add(row.label, row.weight);
    else if (!has_classes_)
      input.fail("a label above 1e100: scale the data");
    if (balanced_) labels_.push_back(row.label);
    ClassLabels& known = facts_.labels;
    if ((last_ == row.label && known.size() > 0) || known.size() > kMostClasses) return;
    last_ = row.label;
    known.add(row.label);
    if (!has_classes_) return;
    if (!packing_ && takes_two_classes(settings_) && known.size() > 2)
      input.fail("a third label, " + label_text(input, row.label) + kTwoClasses);
    if (known.size() > kMostClasses) input.fail("more than " + std::to_string(kMostClasses) + " different labels");
  }

  void finish_facts() {
    if (facts_.rows == 0) throw DataError(first_file(), 0, "the data has no rows");
    require_dealt(facts_.rows, job_.shards);
    if (has_classes_ && facts_.labels.size() < 2) throw DataError(first_file(), 0, found_only_one(facts_.labels));
    require_positive(first_file(), "importances", facts_.importance);
    facts_.keys = (settings_.bits == 0 ? columns_ : Key{1} << settings_.bits) + 1;
    facts_.counts.all().resize(facts_.keys);
    require_sizes();
    facts_.far = facts_.counts.far(facts_.rows);
    if (facts_.labels.size() > kMostClasses) facts_.labels = {};
  }
  static void require_positive(const std::string& file, const char* what, double sum) {
    if (!(sum > 0 && std::isfinite(sum)))
      throw DataError(file, 0, std::string("the sum of the rows' ") + what + " is not a positive number");
  }
  // A feature with smaller values has lost digits, or become 0.
  void require_sizes() const {
    for (Key key = 0; key < facts_.keys; ++key)
      if (const auto& one = facts_.counts.all()[key]; one.rows > 0 && one.largest() < kSmallestScale)
        throw DataError(first_file(), 0,
                        "feature " + feature_text(facts_.names, settings_.bits, key) + ": its largest value is " +
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
    for (const std::uint32_t k : facts_.far.keys) facts_.counts.all()[k] = {};
    for (RowData& data : data_.all()) data.training.rows = {};
    std::uint64_t rows = 0;
    each_row([&](const io::RowFiles& input, const io::LabelledValues& row) {
      Rows one;
      add_row(input, row, key_, facts_.far, settings_.intercept, facts_.keys, one);
      for (const Entry& entry : one[0])
        if (facts_.far[entry.key] != 0) facts_.counts.add(entry.key, static_cast<double>(entry.value));
      RowData* const data = settings_.stream ? nullptr : data_.of_item(rows);
      ++rows;
      if (data == nullptr) return;
      data->training.rows.add_entries(one[0]);
      data->training.rows.end_row();
    });
    if (rows != facts_.rows) throw DataError(first_file(), 0, "the data has changed since it was first read");
    require_sizes();
  }

  // The weights of rows, with mean 1: --weights, --class_weights and the data's own importances together.
  void weigh() {
    std::vector<double> weights = std::move(importances_);
    if (weights.empty() && settings_.weights.empty() && !balanced_) return;
    weights.resize(facts_.rows, 1.0);
    if (!settings_.weights.empty()) {
      const std::vector<double> given = io::read_numbers(settings_.weights, "a weight", 0);
      if (given.size() != weights.size())
        throw DataError(settings_.weights, 0,
                        "expected a weight for each of the " + std::to_string(weights.size()) + " rows, found " +
                            std::to_string(given.size()));
      for (std::size_t i = 0; i < given.size(); ++i) weights[i] *= given[i];
    }
    if (balanced_) {
      std::vector<double> of_class(facts_.labels.size());
      for (std::size_t i = 0; i < labels_.size(); ++i) of_class[*facts_.labels.find(labels_[i])] += weights[i];
      for (std::size_t i = 0; i < labels_.size(); ++i)
        if (weights[i] > 0) weights[i] /= of_class[*facts_.labels.find(labels_[i])];
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    require_positive(first_file(), "weights", sum);
    const double scale = static_cast<double>(weights.size()) / sum;
    for (const ShardId shard : hosted_)
      for (std::uint64_t row = shard; row < facts_.rows; row += job_.shards)
        data_.of_shard(shard)->training.weights.push_back(weights[row] * scale);
  }

  void read_held_out() {
    form_.names = facts_.names;
    form_.words_allowed = !facts_.words.empty();
    const Origins origins = facts_.centred ? facts_.far : Origins();
    io::RowFiles input(job_.valid, form_);
    double importance = 0;
    for (io::LabelledValues row; input.next(row);) {
      importance += row.weight;
      if (has_classes_ && !facts_.labels.find(row.label))
        input.fail("the label " + label_text(input, row.label) + " is none of the training data's, " +
                   facts_.labels.text());
      RowData* const data = data_.of_item(facts_.held_out_rows);
      ++facts_.held_out_rows;
      if (data == nullptr) continue;
      ShardRows& rows = data->held_out;
      add_row(input, row, key_, origins, settings_.intercept, kMostFeatures + 1, rows.rows);
      rows.targets.push_back(row.label);
      if (settings_.is_vw()) rows.weights.push_back(row.weight);
    }
    if (facts_.held_out_rows == 0) throw DataError(job_.valid.front(), 0, "the held-out data has no rows");
    require_positive(job_.valid.front(), "importances", importance);
    for (RowData& data : data_.all())
      for (double& weight : data.held_out.weights) weight *= static_cast<double>(facts_.held_out_rows) / importance;
  }

  const Job& job_;
  const Settings& settings_;
  io::RowForm form_;
  std::span<const ShardId> hosted_;
  bool packing_, balanced_, has_classes_;
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

bool RowData::fits(const RowFacts& facts, const Job& job, ShardId shard) const {
  const bool intercept = job.options.flag("intercept");
  return has_valid_rows(training, dealt_to(shard, facts.rows, job.shards), facts.keys, intercept) &&
         has_valid_rows(held_out, dealt_to(shard, facts.held_out_rows, job.shards), kMostFeatures + 1, intercept);
}

PackedApp<RowFacts, RowData>::Loaded read_rows(const Job& job, const Settings& settings,
                                               std::span<const ShardId> hosted, bool packing) {
  return Reading(job, settings, hosted, packing).run();
}

ClassLabels classes_of(const Settings& settings, const RowFacts& facts, const std::string& name) {
  const auto refuse = [&](const std::string& why) { throw DataError(name, 0, why); };
  if (settings.loss == Loss::squared) {
    if (!facts.words.empty()) refuse("labels are words, and --loss=squared requires numbers");
    return {};
  }
  ClassLabels classes = facts.labels;
  classes.set_words(facts.words);
  if (classes.size() == 0) refuse("more than " + std::to_string(kMostClasses) + " different labels");
  if (classes.size() < 2) refuse(found_only_one(classes));
  if (classes.size() > 2 && takes_two_classes(settings))
    refuse("found more than two labels, " + classes.text() + kTwoClasses);
  return classes;
}

std::string feature_text(const std::vector<std::string>& names, std::uint32_t bits, Key key) {
  const bool named = bits == 0 && key != kIntercept && key <= names.size();
  return std::to_string(key) + (named ? " (" + names[key - 1] + ")" : "");
}

}  // namespace rota::linear
