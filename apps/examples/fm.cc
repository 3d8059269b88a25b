// apps/examples/fm.cc -- factorisation machines: regression and binary classification with interactions of all pairs of
// columns, f(x) = w_0 + sum_j w_j x_j + sum_{i < j} (v_i . v_j) x_i x_j.
//
// Sources: Rendle, "Factorization machines", ICDM 2010, section 3 (lemma 3.1: the pairs in linear time); the penalty of
// a row of data, l2/2 times the squares of the numbers of its columns, as in Rendle, "Factorization machines with
// libFM", ACM TIST 2012; AdaGrad, Duchi, Hazan and Singer, JMLR 2011.  Input: LIBSVM text.
#include <rota/io/rows_app.h>
#include <rota/numerics/item_order.h>
#include <rota/numerics/portable_math.h>
#include <rota/plugin.h>

#include <cmath>

namespace {
using namespace rota;

struct Settings {
  bool logistic = true;
  std::uint32_t factors = 8;
  std::uint64_t rounds = 32;
  double learning_rate = 0.1, l2 = 1e-3, start = 0.1;
  void options(auto& list) {
    list.choice("loss", logistic, {{"logistic", true}, {"squared", false}},
                "For labels of two classes, 1 and 0 or -1, or for numbers.");
    list.number("factors", factors, "", 0, 1000, "Numbers in each v_j; 0: a linear model.");
    list.number("rounds", rounds, "", 1, 1e6, "Rounds of an epoch; each visits that part of the rows.");
    list.number("learning_rate", learning_rate, "", 1e-12, 1e12, "The step of AdaGrad.");
    list.number("l2", l2, "", 0, 1e12, "The penalty.");
    list.number("start", start, "", 0, 1e12, "Factors begin between plus and minus this.");
  }
};

// A row of the table: w_j, then v_j, then for each of them the sum of its squared gradients.  Row 0 is the intercept,
// whose v stays 0, and row j + 1 that of column j.
class RowsPush final : public ItemsPush<io::LabelledRow, Settings> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random& random) override {
    const std::span<const std::size_t> its = order_.next(task.epoch, random);
    std::vector<double> sums(settings_.factors + 1);
    for (const std::size_t i : its) {
      const io::LabelledRow& row = items_[i];
      const double f = predict(row, sums);
      const double slope = settings_.logistic ? -row.label * sigmoid(-row.label * f) : f - row.label;
      task.parts[0][0] += slope;
      for (const auto& [column, x] : row.entries) {
        const std::span<const double> its_model = table_.row(column + 1);
        const std::span<double> part = task.parts[column + 1];
        part[0] += slope * x + settings_.l2 * its_model[0];
        for (std::size_t k = 1; k < sums.size(); ++k)
          part[k] += slope * x * (sums[k] - its_model[k] * x) + settings_.l2 * its_model[k];
      }
    }
    return its.size();
  }
  void evaluate(Terms terms) const override {
    std::vector<double> sums(settings_.factors + 1);
    for (const io::LabelledRow& row : items_) {
      const double f = predict(row, sums), error = f - row.label;
      terms["loss"] += settings_.logistic ? log_loss_of(row.label * f) : error * error / 2;
      for (const auto& [column, x] : row.entries)
        for (const double number : table_.row(column + 1).first(sums.size()))
          terms["penalty"] += settings_.l2 / 2 * number * number;
      terms["errors"] += !settings_.logistic ? error * error : row.label * f > 0 ? 0 : 1;
    }
  }

 private:
  // f(x); sums[k] becomes sum_j v_jk x_j, for k from 1.
  double predict(const io::LabelledRow& row, std::vector<double>& sums) const {
    std::fill(sums.begin(), sums.end(), 0);
    double f = table_.row(0)[0], twice = 0;
    for (const auto& [column, x] : row.entries) {
      const std::span<const double> its = table_.row(column + 1);
      f += its[0] * x;
      for (std::size_t k = 1; k < sums.size(); ++k) {
        sums[k] += its[k] * x;
        twice -= its[k] * x * its[k] * x;
      }
    }
    for (std::size_t k = 1; k < sums.size(); ++k) twice += sums[k] * sums[k];
    return f + twice / 2;
  }

  ItemOrder order_{items_.size(), settings_.rounds};
};

class FactorisationMachine final : public io::RowsApp<RowsPush> {
 public:
  using RowsApp::RowsApp;
  void look_at(io::LabelledRow& row, std::uint64_t, Facts& facts) const override {
    if (settings_.logistic) row.label = row.sign();
    facts.add("labels", row.label);
  }
  Table table(const Facts& facts) const override {
    const std::uint32_t numbers = settings_.factors + 1;
    return {.name = "model", .keys = facts.count("columns") + 1, .row_width = 2 * numbers, .part_width = numbers};
  }
  void start_row(const Facts& facts, TableId, Key key, std::span<double> row, Random& random) const override {
    if (key == 0 && !settings_.logistic) row[0] = facts.number("labels") / facts.number("rows");
    if (key > 0)  // with factors of 0 their gradients would be 0, too
      for (double& v : row.subspan(1, settings_.factors)) v = settings_.start * (2 * random.uniform() - 1);
  }
  std::vector<Term> terms() const override {
    return {{"loss", Term::Kind::objective}, {"penalty", Term::Kind::objective}, {"errors"}};
  }
  std::vector<Score> scores() const override {
    if (settings_.logistic) return {{.name = "error_rate", .term = "errors"}};
    return {{.name = "rmse", .term = "errors", .scale = Score::Scale::root_mean}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<OpenSchedule>(0, Argument(), StopBelow(), settings_.rounds);
  }
  // AdaGrad.
  std::unique_ptr<Pull> pull(const Facts&) const override {
    return row_pull([rate = settings_.learning_rate](std::span<const double> gradient, std::span<double> row) {
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        double& squares = row[gradient.size() + k];
        squares += gradient[k] * gradient[k];
        if (squares > 0) row[k] -= rate * gradient[k] / std::sqrt(squares);
      }
    });
  }
};
}  // namespace

ROTA_APP(FactorisationMachine, .name = "fm", .summary = "Factorisation machines.", .items = "rows");
