// apps/examples/network.cc -- a neural network of three layers for two classes: the columns of the data, hidden units
// h = max(0, b + W x), and p(y = 1) = 1 / (1 + exp(-c - u . h)).
//
// Source: Li, Kadav, Kruus and Ungureanu, "MALT: distributed data-parallelism for existing ML applications", EuroSys
// 2015, section 4.1.3, which trains a network of three layers (supervised semantic indexing) in this way: each shard
// makes steps of stochastic gradient descent on a replica of its own, and averages it with those that ALL or HALTON
// send.
//
// Input: LIBSVM text.
#include <rota/exchange/exchange_schedule.h>
#include <rota/exchange/replica_exchange.h>
#include <rota/io/deal_lines.h>
#include <rota/io/sparse_line.h>
#include <rota/numerics/item_order.h>
#include <rota/numerics/portable_math.h>
#include <rota/plugin.h>
#include <rota/shards.h>

#include <cmath>

namespace {
using namespace rota;

// The rows of the table: for each column its weights of all hidden units, then b, u, and c with zeros.
class ReplicaPush final : public SharedPush, public ExchangePush {
 public:
  ReplicaPush(ShardId shard, std::vector<io::SparseRow> rows, const Job& job)
      : shard_(shard),
        shards_(job.shards),
        rows_(std::move(rows)),
        order_(rows_.size(), static_cast<std::size_t>(job.options.integer("rounds"))) {
    for (io::SparseRow& row : rows_) row.label = row.label > 0 ? 1 : -1;
  }
  std::uint64_t items() const override { return rows_.size(); }
  void facts(Facts& facts) const override { facts.largest("columns", static_cast<double>(io::columns_of(rows_))); }
  void attach(const Shape& shape) override {
    table_ = shape.views[0];
    hidden_.resize(table_.width());
  }

  std::uint64_t push(const ExchangeTask& task, Random& random) override {
    if (task.epoch != epoch_) replica_.assign(table_.numbers().begin(), table_.numbers().end());
    epoch_ = task.epoch;
    const std::span<const std::size_t> its = order_.next(task.epoch, random);
    for (const std::size_t i : its) step(rows_[i], task.argument[0]);
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
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = (replica_[i] - table_.numbers()[i]) / shards_;
    return 0;
  }
  void evaluate(Terms terms) const override {
    std::vector<double> hidden(table_.width());
    for (const io::SparseRow& row : rows_) {
      const double margin = row.label * forward(row, table_.numbers(), hidden);
      terms[0] += log_loss_of(margin);
      terms[1] += margin > 0 ? 0 : 1;
    }
  }

 private:
  static double forward(const io::SparseRow& row, std::span<const double> weights, std::span<double> hidden) {
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
  void step(const io::SparseRow& row, double rate) {
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

  ShardId shard_;
  std::uint32_t shards_;
  std::vector<io::SparseRow> rows_;
  ItemOrder order_;
  Averaging averaging_;
  TableView table_;
  Epoch epoch_ = 0;              // of the replica, which begins each one with the table
  std::vector<double> replica_;  // of the table's numbers
  std::vector<double> hidden_;   // of the row in work
};

class Network final : public App {
 public:
  explicit Network(const Job& job) : job_(job), hidden_(static_cast<std::uint32_t>(job.options.integer("hidden"))) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto rows =
        io::deal_lines<io::SparseRow>(job_.input, job_.shards, hosted, "LABEL INDEX:VALUE ...", io::read_sparse_row);
    std::vector<std::unique_ptr<Push>> pushes;
    for (const ShardId shard : hosted)
      pushes.push_back(std::make_unique<ReplicaPush>(shard, std::move(*rows.of_shard(shard)), job_));
    return pushes;
  }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{.name = "weights",
             .keys = facts.count("columns") + 3,
             .row_width = hidden_,
             .part_width = hidden_,
             .dense = true,
             .started = true}};
  }
  // As scikit-learn's: uniform in +-sqrt(6 / (inputs + outputs)).
  void start_row(const Facts& facts, TableId, Key key, std::span<double> row, Random& random) const override {
    const std::uint64_t columns = facts.count("columns");
    const auto inputs = static_cast<double>(key <= columns ? columns : hidden_);
    const double outputs = key <= columns ? hidden_ : 1;
    for (double& weight : row) weight = std::sqrt(6 / (inputs + outputs)) * (2 * random.uniform() - 1);
    if (key == columns + 2) std::fill(row.begin() + 1, row.end(), 0);
  }
  std::vector<Dataflow> dataflows(const Facts&) const override {
    return {job_.options.text("dataflow") == "all" ? all_dataflow(job_.shards) : halton_dataflow(job_.shards)};
  }
  std::vector<Term> terms() const override { return {{"loss", Term::Kind::objective}, {"errors"}}; }
  std::vector<Score> scores() const override { return {{.name = "error_rate", .term = "errors"}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    const auto rounds = static_cast<std::uint64_t>(job_.options.integer("rounds"));
    return std::make_unique<ExchangeSchedule>(
        0, ExchangeSchedule::Epochs{.rounds = rounds},
        [rounds, rate = job_.options.real("learning_rate")](std::uint64_t n) -> std::vector<double> {
          return {rate / std::sqrt(1 + static_cast<double>(n / rounds))};
        });
  }

 private:
  const Job& job_;
  std::uint32_t hidden_;
};

constexpr Option kOptions[] = {
    integer_option("hidden", "16", "", 1, 10000, "Hidden units."),
    integer_option("rounds", "8", "", 1, 1e6,
                   "Exchanges of an epoch; before each a shard visits that part of its rows."),
    real_option("learning_rate", "0.05", "", 1e-12, 1e12, "The step; in epoch t it is divided by the root of t."),
    {.name = "dataflow",
     .kind = Option::Kind::choice,
     .default_value = "halton",
     .unit = "halton|all",
     .meaning = "Which shards a shard sends its replica to."}};
}  // namespace

ROTA_APP(Network, .name = "network", .summary = "A neural network of three layers.", .items = "rows",
         .options = kOptions);
