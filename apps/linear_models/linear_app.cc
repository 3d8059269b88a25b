#include "apps/linear_models/linear_app.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::linear {
namespace {

constexpr std::uint64_t kOrder = 0x6f72646572;     // identifies the purpose of these random numbers
constexpr std::uint64_t kRowsAtOnce = 4096;        // of a stream, when it is evaluated
constexpr std::size_t kBlock = 32;                 // rows that stay together in a pass
constexpr double kPassesBefore = 4;                // that a model to begin with counts for, with slopes of 1
constexpr const char* kMoves = "intercept_moves";  // the fact InitialWeights::moves_of_intercept()

ShardRows in_drawn_order(const ShardRows& rows, Random random) {
  return reordered(rows, shuffled(rows.rows.size(), random));
}

std::vector<std::uint32_t> keys_of(const Rows& rows, Key keys) {
  std::vector<bool> seen(keys);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const Entry& entry : rows[r]) seen[entry.key] = true;
  std::vector<std::uint32_t> out;
  for (std::uint32_t key = 0; key < keys; ++key)
    if (seen[key]) out.push_back(key);
  return out;
}

}  // namespace

std::vector<std::uint32_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Random random_of_orders(std::uint64_t seed, ShardId shard, Epoch epoch) {
  return random_named({seed, kOrder, shard, epoch});
}

void append_pass(std::size_t rows, Random& random, std::vector<std::uint32_t>& order) {
  for (const std::uint32_t block : shuffled((rows + kBlock - 1) / kBlock, random))
    for (std::size_t r = block * kBlock; r < std::min(rows, (block + 1) * kBlock); ++r)
      order.push_back(static_cast<std::uint32_t>(r));
}

RowsPush::RowsPush(const Settings& settings, ShardData data)
    : shard_(data.shard),
      all_(std::move(data.all)),
      stream_(std::move(data.stream)),
      training_(in_drawn_order(data.training, random_of_orders(all_->seed, shard_, 0))),
      held_out_(std::move(data.held_out)),
      keys_(keys_of(training_.rows, all_->keys)),
      common_(settings) {}

LossSums RowsPush::losses_of(const ShardRows& rows) const {
  const RowLayout layout = common_.layout(all_->outputs);
  const Weights weights{weights_.numbers().subspan(common_.model_weight(layout)), layout.width(), layout.stride};
  return score(common_.loss, links_of(rows.rows, weights, all_->outputs), all_->outputs, rows);
}

void RowsPush::evaluate(Terms terms) const {
  LossSums own = losses_of(training_);
  if (stream_) {
    StreamReader reader(*stream_);
    for (std::uint64_t at = 0; at < stream_->rows; at += kRowsAtOnce) {
      const LossSums some = losses_of(reader.next(std::min(kRowsAtOnce, stream_->rows - at)));
      own.loss += some.loss;
      own.right += some.right;
    }
  }
  terms["loss"] += own.loss / static_cast<double>(all_->rows);
  terms["right"] += own.right;
  if (!common_.held_out) return;
  const LossSums others = losses_of(held_out_);
  terms["valid"] += others.loss;
  terms["valid_rows"] += static_cast<double>(held_out_.rows.size());
  terms["valid_right"] += others.right;
}

LinearApp::LinearApp(const Job& job, Settings settings) : PackedApp(job), common_(std::move(settings)) {
  if (common_.stream && job.packed != nullptr)
    throw UsageError("--stream reads text again in every epoch; data by shard is read once, and kept in memory");
  if (job.initial == nullptr) return;
  initial_.emplace(job, common_);
  common_.least_keys = initial_->model().keys;
  common_.form.names = initial_->model().names;
}

// `name` is that of the data.
std::shared_ptr<const SharedData> LinearApp::shared_data(const RowFacts& read, const std::string& name) const {
  const auto all = std::make_shared<SharedData>();
  all->rows = read.rows;
  all->keys = std::max(common_.least_keys, read.keys);
  all->classes = classes_of(common_, read, name);
  all->outputs = common_.outputs(all->classes.size());
  if (read.centred) all->origins = read.far;
  all->names = read.names;
  all->weight_scale = static_cast<double>(read.rows) / read.importance;
  all->seed = job_.seed;
  require_one_intercept(read, name);
  if (initial_) initial_->require_same(all->classes, read.names);
  const auto& counts = read.counts.all();
  all->scales = read.counts.scales(common_, read.rows, all->keys);
  if (common_.loss == Loss::squared) {
    const Responses& responses = read.responses;
    if (common_.centres()) all->centre = initial_ ? initial_->centre() : responses.mean;
    if (const double spread = responses.spread(all->centre); spread > 0) all->slopes = spread;
    if (!common_.centres()) all->deviation = responses.spread(responses.mean);
  }
  if (const auto key = std::ranges::find_if(counts, [](const auto& one) { return one.rows > 0; }); key != counts.end())
    all->steps = all->scales[static_cast<std::size_t>(key - counts.begin())].step * key->unit(common_);
  if (initial_)
    for (const auto& one : counts)
      all->first_squares.push_back(kPassesBefore * one.squares / job_.shards * (all->slopes * all->slopes));
  return all;
}

std::vector<std::unique_ptr<Push>> LinearApp::make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) {
  const std::string name = job_.packed == nullptr ? job_.input.front() : job_.packed->name();
  all_ = shared_data(loaded.common, name);
  std::vector<std::unique_ptr<Push>> out;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    RowData data = std::move(loaded.hosted[i]);
    data.held_out.rows.keep_below(all_->keys);
    for (ShardRows* const rows : {&data.training, &data.held_out})
      for (double& label : rows->targets) {
        const auto target = all_->target(label);
        if (!target)
          throw DataError(
              name, 0,
              "the label " + io::exact_text(label) + " is none of the training data's, " + all_->classes.text());
        label = *target;
      }
    std::unique_ptr<RowStream> stream;
    if (common_.stream)
      stream =
          std::make_unique<RowStream>(RowStream{job_.input, {hosted[i], job_.shards}, data.streamed, common_, all_});
    // Copied into its new layout, and then freed.
    out.push_back(make_push({hosted[i], all_, std::move(data.training), std::move(data.held_out), std::move(stream)}));
  }
  return out;
}

void LinearApp::facts(Facts& facts) const {
  facts.add("rows", static_cast<double>(all_->rows));
  facts.add("keys", static_cast<double>(all_->keys));
  facts.add("classes", static_cast<double>(all_->classes.size()));
  facts.add("slopes", all_->slopes);
  facts.add("steps", all_->steps);
  facts.add("centre", all_->centre);
  facts.add("deviation", all_->deviation);
  if (!initial_) return;
  const std::vector<double> moves = initial_->moves_of_intercept(all_->origins);
  if (!moves.empty()) facts.add(kMoves, moves);
}

Table LinearApp::weights(const Facts& facts) const {
  const std::uint32_t width = common_.layout(outputs_of(facts)).width();
  return {.name = "weights",
          .keys = facts.count("keys"),
          .row_width = width,
          .part_width = width + 1,
          .dense = true,
          .started = initial_.has_value()};
}

void LinearApp::start_row(const Facts& facts, TableId, Key key, std::span<double> row, Random&) const {
  initial_->put_row(key, facts.has(kMoves) ? facts.numbers(kMoves) : std::span<const double>(), row);
}

std::vector<Term> LinearApp::terms() const {
  std::vector<Term> terms = {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}, {"right"}};
  if (common_.held_out)
    for (const char* name : {"valid", "valid_rows", "valid_right"}) terms.push_back({name});
  return terms;
}

std::vector<Score> LinearApp::scores() const {
  std::vector<Score> scores;
  const bool classes = common_.loss != Loss::squared;
  if (classes) scores.push_back({.name = "accuracy", .term = "right", .better = Score::Better::larger});
  if (!common_.held_out) return scores;
  scores.push_back({.name = "valid_loss", .term = "valid", .count = "valid_rows", .held_out = true});
  if (classes)
    scores.push_back({.name = "valid_accuracy",
                      .term = "valid_right",
                      .count = "valid_rows",
                      .better = Score::Better::larger,
                      .held_out = true});
  return scores;
}

// A column far from 0 is almost an intercept.  If there is another one, the optimisers that take steps end far from
// the optimum, and finally single precision stores nothing else of it.
void LinearApp::require_one_intercept(const RowFacts& data, const std::string& name) const {
  if (common_.intercept && !common_.penalized_intercept) return;
  const auto refuse = [&](const std::string& what, double mean, const std::string& why) {
    throw DataError(name, 0,
                    what + ": the mean, " + io::exact_text(mean) + ", is far from 0 beside the deviation, and " + why);
  };
  const auto name_of = [&](std::uint32_t key) { return "feature " + feature_text(data.names, common_.bits, key); };
  const std::string nothing = "there is no unpenalised intercept to absorb that: subtract it";
  const Responses& labels = data.responses;
  if (common_.loss == Loss::squared && common_.takes_steps &&
      std::abs(labels.mean) > common_.most_deviations * labels.spread(labels.mean))
    refuse("labels", labels.mean, nothing);
  if (data.centred)
    refuse(name_of(data.far.keys.front()), data.far[data.far.keys.front()],
           "data by shard stores it less that, which --penalize_intercept does not allow");
  const auto rows = static_cast<double>(data.rows);
  const auto& counts = data.counts.all();
  const double most = common_.most_deviations;
  auto intercepts = std::ranges::count_if(counts, [&](const auto& one) { return one.rows == rows && !one.varies(); });
  for (const std::uint32_t key : data.far.keys) {
    const double mean = data.far[key], variance = counts[key].squares / rows - mean * mean;
    if (mean * mean >= most * most * variance && intercepts++ > 0) refuse(name_of(key), mean, nothing);
  }
}

}  // namespace rota::linear
