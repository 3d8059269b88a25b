// apps/examples/svm.cc -- a linear support vector machine by dual coordinate descent: min |w|^2/2 + cost * the sum of
// max(0, 1 - y w x).  An intercept is a column of ones in the data.
//
// Sources: Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent method for large-scale linear SVM",
// ICML 2008; shards add up their changes as in Ma, Smith, Jaggi, Jordan, Richtarik and Takac, "Adding vs. averaging in
// distributed primal-dual optimization", ICML 2015, with sigma' = the number of shards.
#include <rota/io/rows_app.h>
#include <rota/numerics/item_order.h>
#include <rota/plugin.h>

namespace {
using namespace rota;

struct Settings {
  double cost = 1, tolerance = 1e-4;
  void options(auto& list) {
    list.number("cost", cost, "", 1e-12, 1e12, "The weight of the losses.");
    list.number("tolerance", tolerance, "", 0, 1e12, "End when an epoch changes no weight by more.");
  }
};

class DualPush final : public ItemsPush<io::LabelledRow, Settings> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random& random) override {
    const double sigma = job_.shards;
    std::vector<double> w(table_.numbers().begin(), table_.numbers().end());
    for (const std::size_t i : random_order(items_.size(), random)) {
      const io::LabelledRow& row = items_[i];
      double square = 0;
      for (const auto& [column, x] : row.entries) square += x * x;
      if (square == 0) continue;
      const double slope = row.label * row.times(w) - 1;
      const double next = std::clamp(duals_[i] - slope / (sigma * square), 0.0, settings_.cost);
      const double change = (next - duals_[i]) * row.label;
      if (change == 0) continue;
      duals_[i] = next;
      for (const auto& [column, x] : row.entries) {
        task.parts[column][0] += change * x;
        w[column] += sigma * change * x;
      }
    }
    return items_.size();
  }
  void evaluate(Terms terms) const override {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      terms["loss"] += settings_.cost * std::max(0.0, 1 - items_[i].label * items_[i].times(table_.numbers()));
      terms["gap_less_loss"] -= duals_[i];
    }
  }
  void state(Archive& list) override {
    list(duals_);
    list.check(duals_.size() == items_.size());
  }

 private:
  std::vector<double> duals_ = std::vector<double>(items_.size());  // of each row
};

// w is the sum of all rows' duals times their values.
class WeightsPull final : public AddPull {
 public:
  void evaluate(TableId, Key, std::span<const double> w, Terms terms) const override {
    terms["penalty"] += w[0] * w[0] / 2;
    terms["gap_less_loss"] += w[0] * w[0];  // with the duals: the primal less the dual objective, but for the losses
  }
};

class Svm final : public io::RowsApp<DualPush> {
 public:
  using RowsApp::RowsApp;
  void look_at(io::LabelledRow& row, std::uint64_t, Facts&) const override { row.label = row.sign(); }
  Table table(const Facts& facts) const override {
    return {.name = "weights", .keys = facts.count("columns"), .row_width = 1};
  }
  std::vector<Term> terms() const override {
    return {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}, {"gap_less_loss"}};
  }
  StopBelow stop() const override { return {settings_.tolerance, StopBelow::Norm::largest}; }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<WeightsPull>(); }
};
}  // namespace

ROTA_APP(Svm, .name = "svm", .summary = "A linear support vector machine.", .items = "rows", .epochs = 1000,
         .framework_needs = kSynchronous);
