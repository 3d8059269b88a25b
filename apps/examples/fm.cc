// apps/examples/fm.cc -- factorisation machines: regression and binary classification with interactions of all pairs of
// columns, f(x) = w_0 + sum_j w_j x_j + sum_{i < j} (v_i . v_j) x_i x_j.
//
// Sources: Rendle, "Factorization machines", ICDM 2010, section 3 (lemma 3.1: the pairs in linear time); the penalty of
// a row of data, l2/2 times the squares of the numbers of its columns, as in Rendle, "Factorization machines with
// libFM", ACM TIST 2012; AdaGrad, Duchi, Hazan and Singer, JMLR 2011.  Input: LIBSVM text.
#include <rota/io/deal_lines.h>
#include <rota/io/sparse_line.h>
#include <rota/numerics/item_order.h>
#include <rota/numerics/portable_math.h>
#include <rota/plugin.h>
#include <rota/schedules/sweep.h>
#include <rota/shards.h>

#include <cmath>

namespace {
using namespace rota;

// A row of the table: w_j, then v_j, then for each of them the sum of its squared gradients.  Row 0 is the intercept,
// whose v stays 0, and row j + 1 that of column j.
class RowsPush final : public SharedPush {
 public:
  RowsPush(std::vector<io::SparseRow> rows, const Job& job)
      : rows_(std::move(rows)),
        logistic_(job.options.text("loss") == "logistic"),
        l2_(job.options.real("l2")),
        numbers_(static_cast<std::size_t>(job.options.integer("factors")) + 1),
        order_(rows_.size(), static_cast<std::size_t>(job.options.integer("rounds"))) {
    if (logistic_)
      for (io::SparseRow& row : rows_) row.label = row.label > 0 ? 1 : -1;
  }
  std::uint64_t items() const override { return rows_.size(); }
  void facts(Facts& facts) const override {
    double labels = 0;
    for (const io::SparseRow& row : rows_) labels += row.label;
    facts.largest("columns", static_cast<double>(io::columns_of(rows_)));
    facts.add("rows", static_cast<double>(rows_.size()));
    facts.add("labels", labels);
  }
  void attach(const Shape& shape) override { model_ = shape.views[0]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const std::span<const std::size_t> its = order_.next(task.epoch, random);
    std::vector<double> sums(numbers_);
    for (const std::size_t i : its) {
      const io::SparseRow& row = rows_[i];
      const double f = predict(row, sums);
      const double slope = logistic_ ? -row.label * sigmoid(-row.label * f) : f - row.label;
      task.parts[0][0] += slope;
      for (const auto& [column, x] : row.entries) {
        const std::span<const double> its_model = model_.row(column + 1);
        const std::span<double> part = task.parts[column + 1];
        part[0] += slope * x + l2_ * its_model[0];
        for (std::size_t k = 1; k < numbers_; ++k)
          part[k] += slope * x * (sums[k] - its_model[k] * x) + l2_ * its_model[k];
      }
    }
    return its.size();
  }
  void evaluate(Terms terms) const override {
    std::vector<double> sums(numbers_);
    for (const io::SparseRow& row : rows_) {
      const double f = predict(row, sums), error = f - row.label;
      terms[0] += logistic_ ? log_loss_of(row.label * f) : error * error / 2;
      for (const auto& [column, x] : row.entries)
        for (const double number : model_.row(column + 1).first(numbers_)) terms[1] += l2_ / 2 * number * number;
      terms[2] += !logistic_ ? error * error : row.label * f > 0 ? 0 : 1;
    }
  }

 private:
  // f(x); sums[k] becomes sum_j v_jk x_j, for k from 1.
  double predict(const io::SparseRow& row, std::vector<double>& sums) const {
    std::fill(sums.begin(), sums.end(), 0);
    double f = model_.row(0)[0], twice = 0;
    for (const auto& [column, x] : row.entries) {
      const std::span<const double> its = model_.row(column + 1);
      f += its[0] * x;
      for (std::size_t k = 1; k < numbers_; ++k) {
        sums[k] += its[k] * x;
        twice -= its[k] * x * its[k] * x;
      }
    }
    for (std::size_t k = 1; k < numbers_; ++k) twice += sums[k] * sums[k];
    return f + twice / 2;
  }

  std::vector<io::SparseRow> rows_;
  bool logistic_;
  double l2_;
  std::size_t numbers_;  // of the model in a row of the table
  ItemOrder order_;
  TableView model_;
};

class AdaGradPull final : public Pull {
 public:
  explicit AdaGradPull(double rate) : rate_(rate) {}
  void pull(const PullTask& task) override {
    for (const auto [key, gradient, row] : task.entries)
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        double& squares = row[gradient.size() + k];
        squares += gradient[k] * gradient[k];
        if (squares > 0) row[k] -= rate_ * gradient[k] / std::sqrt(squares);
      }
  }

 private:
  double rate_;
};

class FactorisationMachine final : public App {
 public:
  explicit FactorisationMachine(const Job& job) : job_(job), logistic_(job.options.text("loss") == "logistic") {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto rows =
        io::deal_lines<io::SparseRow>(job_.input, job_.shards, hosted, "LABEL INDEX:VALUE ...", io::read_sparse_row);
    return make_pushes<RowsPush>(rows, job_);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    const auto numbers = static_cast<std::uint32_t>(job_.options.integer("factors") + 1);
    return {{.name = "model",
             .keys = facts.count("columns") + 1,
             .row_width = 2 * numbers,
             .part_width = numbers,
             .dense = true,
             .started = true}};
  }
  void start_row(const Facts& facts, TableId, Key key, std::span<double> row, Random& random) const override {
    if (key == 0 && !logistic_) row[0] = facts.number("labels") / facts.number("rows");
    if (key > 0)  // with factors of 0 their gradients would be 0, too
      for (double& v : row.subspan(1, row.size() / 2 - 1)) v = job_.options.real("start") * (2 * random.uniform() - 1);
  }
  std::vector<Term> terms() const override {
    return {{"loss", Term::Kind::objective}, {"penalty", Term::Kind::objective}, {"errors"}};
  }
  std::vector<Score> scores() const override {
    if (logistic_) return {{.name = "error_rate", .term = "errors"}};
    return {{.name = "rmse", .term = "errors", .scale = Score::Scale::root_mean}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<OpenSchedule>(0, std::vector<double>{}, StopBelow{},
                                          static_cast<std::uint64_t>(job_.options.integer("rounds")));
  }
  std::unique_ptr<Pull> pull(const Facts&) const override {
    return std::make_unique<AdaGradPull>(job_.options.real("learning_rate"));
  }

 private:
  const Job& job_;
  bool logistic_;
};

constexpr Option kOptions[] = {
    {.name = "loss",
     .kind = Option::Kind::choice,
     .default_value = "logistic",
     .unit = "logistic|squared",
     .meaning = "For labels of two classes, positive or not, or for numbers."},
    integer_option("factors", "8", "", 0, 1000, "Numbers in each v_j; 0: a linear model."),
    integer_option("rounds", "32", "", 1, 1e6, "Rounds of an epoch; each visits that part of the rows."),
    real_option("learning_rate", "0.1", "", 1e-12, 1e12, "The step of AdaGrad."),
    real_option("l2", "1e-3", "", 0, 1e12, "The penalty."),
    real_option("start", "0.1", "", 0, 1e12, "Factors begin between plus and minus this."),
};
}  // namespace

ROTA_APP(FactorisationMachine, .name = "fm", .summary = "Factorisation machines.", .items = "rows",
         .options = kOptions);
