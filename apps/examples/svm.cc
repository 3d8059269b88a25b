// apps/examples/svm.cc -- a linear support vector machine by dual coordinate descent: min |w|^2/2 + cost * the sum of
// max(0, 1 - y w x).  An intercept is a column of ones in the data.
//
// Sources: Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent method for large-scale linear SVM",
// ICML 2008; shards add up their changes as in Ma, Smith, Jaggi, Jordan, Richtarik and Takac, "Adding vs. averaging in
// distributed primal-dual optimization", ICML 2015, with sigma' = the number of shards.
#include <rota/io/deal_lines.h>
#include <rota/io/sparse_line.h>
#include <rota/numerics/item_order.h>
#include <rota/plugin.h>
#include <rota/schedules/sweep.h>
#include <rota/shards.h>

namespace {
using namespace rota;

class DualPush final : public SavesFields<SharedPush, DualPush> {
 public:
  DualPush(std::vector<io::SparseRow> rows, const Job& job)
      : rows_(std::move(rows)), most_(job.options.real("cost")), sigma_(job.shards), duals_(rows_.size()) {
    for (io::SparseRow& row : rows_) row.label = row.label > 0 ? 1 : -1;
  }
  std::uint64_t items() const override { return rows_.size(); }
  void facts(Facts& facts) const override { facts.largest("columns", static_cast<double>(io::columns_of(rows_))); }
  void attach(const Shape& shape) override { weights_ = shape.views[0]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    std::vector<double> w(weights_.numbers().begin(), weights_.numbers().end());
    for (const std::size_t i : random_order(rows_.size(), random)) {
      const io::SparseRow& row = rows_[i];
      double square = 0;
      for (const auto& [column, x] : row.entries) square += x * x;
      if (square == 0) continue;
      const double slope = row.label * times(row, w) - 1;
      const double next = std::clamp(duals_[i] - slope / (sigma_ * square), 0.0, most_);
      const double change = (next - duals_[i]) * row.label;
      if (change == 0) continue;
      duals_[i] = next;
      for (const auto& [column, x] : row.entries) {
        task.parts[column][0] += change * x;
        w[column] += sigma_ * change * x;
      }
    }
    return rows_.size();
  }
  void evaluate(Terms terms) const override {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double margin = rows_[i].label * times(rows_[i], weights_.numbers());
      terms[0] += most_ * std::max(0.0, 1 - margin);
      terms[2] -= duals_[i];
    }
  }
  void fields(auto& list) { list(duals_); }

 private:
  static double times(const io::SparseRow& row, std::span<const double> w) {
    double sum = 0;
    for (const auto& [column, x] : row.entries) sum += w[column] * x;
    return sum;
  }

  std::vector<io::SparseRow> rows_;
  double most_, sigma_;
  std::vector<double> duals_;  // of each row
  TableView weights_;
};

// w is the sum of all rows' duals times their values.
class WeightsPull final : public AddPull {
 public:
  void evaluate(TableId, Key, std::span<const double> w, Terms terms) const override {
    terms[1] += w[0] * w[0] / 2;
    terms[2] += w[0] * w[0];  // with the duals: the primal less the dual objective, but for the losses
  }
};

class Svm final : public App {
 public:
  explicit Svm(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto rows =
        io::deal_lines<io::SparseRow>(job_.input, job_.shards, hosted, "LABEL INDEX:VALUE ...", io::read_sparse_row);
    return make_pushes<DualPush>(rows, job_);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{.name = "weights", .keys = facts.count("columns"), .row_width = 1, .part_width = 1, .dense = true}};
  }
  std::vector<Term> terms() const override {
    return {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}, {"gap_less_loss"}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<OpenSchedule>(0, std::vector<double>{},
                                          StopBelow{job_.options.real("tolerance"), StopBelow::Norm::largest});
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<WeightsPull>(); }

 private:
  const Job& job_;
};

constexpr Option kOptions[] = {
    real_option("cost", "1", "", 1e-12, 1e12, "The weight of the losses."),
    real_option("tolerance", "1e-4", "", 0, 1e12, "End when an epoch changes no weight by more.")};
}  // namespace

ROTA_APP(Svm, .name = "svm", .summary = "A linear support vector machine.", .items = "rows", .options = kOptions,
         .epochs = 1000, .framework_needs = kSynchronous);
