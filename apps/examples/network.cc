// apps/examples/network.cc -- a neural network of three layers for two classes: the columns of the data, hidden units
// h = max(0, b + W x), and p(y = 1) = 1 / (1 + exp(-c - u . h)).
//
// Source: Li, Kadav, Kruus and Ungureanu, "MALT: distributed data-parallelism for existing ML applications", EuroSys
// 2015, section 4.1.3, which trains a network of three layers (supervised semantic indexing) in this way: each shard
// makes steps of stochastic gradient descent on a replica of its own, and averages it with those that ALL or HALTON
// send.
//
// Input: LIBSVM text.
#include <rota/exchange/dataflows.h>
#include <rota/exchange/exchange_push.h>
#include <rota/exchange/exchange_schedule.h>
#include <rota/exchange/replica_exchange.h>
#include <rota/io/rows_app.h>
#include <rota/numerics/item_order.h>
#include <rota/numerics/portable_math.h>
#include <rota/plugin.h>

#include <cmath>

namespace {
using namespace rota;

struct Settings {
  std::uint32_t hidden = 16;
  std::uint64_t rounds = 8;
  double learning_rate = 0.05;
  bool halton = true;
  void options(auto& list) {
    list.number("hidden", hidden, "", 1, 10000, "Hidden units.");
    list.number("rounds", rounds, "", 1, 1e6,
                "Exchanges of an epoch; before each a shard visits that part of its rows.");
    list.number("learning_rate", learning_rate, "", 1e-12, 1e12,
                "The step; in epoch t it is divided by the root of t.");
    list.choice("dataflow", halton, {{"halton", true}, {"all", false}}, "Which shards a shard sends its replica to.");
  }
};

// The rows of the table: for each column its weights of all hidden units, then b, u, and c with zeros.
class ReplicaPush final : public ItemsPush<io::LabelledRow, Settings>, public ExchangePush {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const ExchangeTask& task, Random& random) override {
    if (task.epoch != epoch_) replica_.assign(table_.numbers().begin(), table_.numbers().end());
    epoch_ = task.epoch;
    const std::span<const std::size_t> its = order_.next(task.epoch, random);
    for (const std::size_t i : its) step(items_[i], task.argument.as<double>());
    return its.size();
  }
  void scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) override {
    averaging_.scatter(shard_, replica_, step, out);
  }
  void gather(const ExchangeTask&, std::uint32_t step, std::span<const Incoming> in) override {
    averaging_.gather(shard_, replica_, step, in);
  }
  // At the end of an epoch the table becomes the mean of the replicas.
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> parts = task.parts.run(0, table_.keys());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = (replica_[i] - table_.numbers()[i]) / job_.shards;
    return 0;
  }
  void evaluate(Terms terms) const override {
    std::vector<double> hidden(settings_.hidden);
    for (const io::LabelledRow& row : items_) {
      const double margin = row.label * forward(row, table_.numbers(), hidden);
      terms["loss"] += log_loss_of(margin);
      terms["errors"] += margin > 0 ? 0 : 1;
    }
  }

 private:
  static double forward(const io::LabelledRow& row, std::span<const double> weights, std::span<double> hidden) {
    const std::size_t width = hidden.size();
    const double* const bias = &weights[weights.size() - 3 * width];
    const double* const out = bias + width;
    std::copy_n(bias, width, hidden.begin());
    for (const auto& [column, x] : row.entries)
      for (std::size_t h = 0; h < width; ++h) hidden[h] += weights[column * width + h] * x;
    double f = out[width];
    for (std::size_t h = 0; h < width; ++h) {
      hidden[h] = std::max(0.0, hidden[h]);
      f += out[h] * hidden[h];
    }
    return f;
  }
  // Back propagation of one row.
  void step(const io::LabelledRow& row, double rate) {
    const std::size_t width = hidden_.size();
    const double margin = row.label * forward(row, replica_, hidden_);
    const double move = rate * row.label * sigmoid(-margin);  // minus the slope of the loss, times the rate
    double* const bias = &replica_[replica_.size() - 3 * width];
    double* const out = bias + width;
    for (std::size_t h = 0; h < width; ++h) {
      const double back = hidden_[h] > 0 ? move * out[h] : 0;
      out[h] += move * hidden_[h];
      bias[h] += back;
      hidden_[h] = back;
    }
    out[width] += move;
    for (const auto& [column, x] : row.entries)
      for (std::size_t h = 0; h < width; ++h) replica_[column * width + h] += hidden_[h] * x;
  }

  ItemOrder order_{items_.size(), settings_.rounds};
  Averaging averaging_;
  Epoch epoch_ = 0;              // of the replica, which begins each one with the table
  std::vector<double> replica_;  // of the table's numbers
  std::vector<double> hidden_ = std::vector<double>(settings_.hidden);  // of the row in work
};

class Network final : public io::RowsApp<ReplicaPush> {
 public:
  using RowsApp::RowsApp;
  void look_at(io::LabelledRow& row, std::uint64_t, Facts&) const override { row.label = row.sign(); }
  Table table(const Facts& facts) const override {
    return {.name = "weights", .keys = facts.count("columns") + 3, .row_width = settings_.hidden};
  }
  // As scikit-learn's: uniform in +-sqrt(6 / (inputs + outputs)).
  void start_row(const Facts& facts, TableId, Key key, std::span<double> row, Random& random) const override {
    const std::uint64_t columns = facts.count("columns");
    const auto inputs = static_cast<double>(key <= columns ? columns : settings_.hidden);
    const double outputs = key <= columns ? settings_.hidden : 1;
    for (double& weight : row) weight = std::sqrt(6 / (inputs + outputs)) * (2 * random.uniform() - 1);
    if (key == columns + 2) std::fill(row.begin() + 1, row.end(), 0);
  }
  std::vector<Dataflow> dataflows(const Facts&) const override {
    return {settings_.halton ? halton_dataflow(job_.shards) : all_dataflow(job_.shards)};
  }
  std::vector<Term> terms() const override { return {{"loss", Term::Kind::objective}, {"errors"}}; }
  std::vector<Score> scores() const override { return {{.name = "error_rate", .term = "errors"}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<ExchangeSchedule>(
        0, ExchangeSchedule::Epochs{.rounds = settings_.rounds}, [s = settings_](std::uint64_t n) {
          return Argument(s.learning_rate / std::sqrt(1 + static_cast<double>(n / s.rounds)));
        });
  }
};
}  // namespace

ROTA_APP(Network, .name = "network", .summary = "A neural network of three layers.", .items = "rows");
