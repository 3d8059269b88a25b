// apps/examples/lbfgs.cc -- logistic regression by L-BFGS: the sum of log(1 + exp(-y f(x))) + l2/2 |w|^2.
//
// Source: Nocedal and Wright, "Numerical Optimization", 2nd edition, algorithms 7.4 and 3.1.  The only row of the table
// is the point at which the shards compute loss and gradient; the pull has everything else.
#include <rota/io/rows_app.h>
#include <rota/plugin.h>

#include <cmath>
#include <numeric>

namespace {
using namespace rota;
using Vector = std::vector<double>;

struct Settings {
  double l2 = 1, tolerance = 1e-3;
  io::RowForm rows;
  void options(auto& list) {
    list.number("l2", l2, "", 0, 1e12, "The penalty of the squared weights; the intercept has none.");
    list.number("tolerance", tolerance, "", 0, 1e12, "End when no number of the gradient is larger.");
    list.all_of(rows);
  }
};

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The weights are those of the columns, and at last the intercept.  A part: the gradient, then the loss.
class RowsPush final : public ItemsPush<io::LabelledRow, Settings> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> part = task.parts[0];
    const std::size_t intercept = part.size() - 2;
    for (const io::LabelledRow& row : items_) {
      const double m = margin(row), slope = -row.label / (1 + std::exp(m));
      for (const auto& [column, x] : row.entries) part[column] += slope * x;
      part[intercept] += slope;
      part[intercept + 1] += loss(m);
    }
    return items_.size();
  }
  void evaluate(Terms terms) const override {
    for (const io::LabelledRow& row : items_) terms["loss"] += loss(margin(row));
  }

 private:
  double margin(const io::LabelledRow& row) const {
    return row.label * (row.times(table_.numbers()) + table_.numbers().back());
  }
  static double loss(double m) { return m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m; }
};

class LbfgsPull final : public Pull {
 public:
  explicit LbfgsPull(const Settings& settings) : l2_(settings.l2), tolerance_(settings.tolerance) {}
  void pull(const PullTask& task) override {
    const auto [key, sum, w] = task.entries[0];
    const std::size_t n = w.size();
    Vector gradient(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t j = 0; j + 1 < n; ++j) gradient[j] += l2_ * w[j];
    const double value = sum[n] + penalty(w);
    const bool first = point_.empty();
    if (!first && !(value <= value_ + 1e-4 * step_ * slope_)) {
      step_ /= 2;  // too far
    } else {
      if (!first) remember(w, gradient);
      point_.assign(w.begin(), w.end());
      gradient_ = std::move(gradient);
      value_ = value;
      choose_direction();
      slope_ = dot(gradient_, direction_);
      step_ = first ? std::min(1.0, 1 / std::sqrt(-slope_)) : 1;
    }
    double largest = 0;
    for (const double g : gradient_) largest = std::max(largest, std::abs(g));
    const bool ends = largest <= tolerance_ || step_ < 1e-20;
    for (std::size_t j = 0; j < n; ++j) w[j] = point_[j] + (ends ? 0 : step_ * direction_[j]);
    write_fields(task.reply, ends);
  }
  void evaluate(TableId, Key, std::span<const double> w, Terms terms) const override { terms["penalty"] += penalty(w); }
  void state(Archive& list) override { list(point_, gradient_, direction_, value_, slope_, step_, moves_, changes_); }

 private:
  static constexpr std::size_t kMemory = 10;

  double penalty(std::span<const double> w) const {
    return l2_ / 2 * dot(w.first(w.size() - 1), w.first(w.size() - 1));
  }
  void remember(std::span<const double> w, const Vector& gradient) {
    Vector move(w.begin(), w.end()), change = gradient;
    for (std::size_t j = 0; j < move.size(); ++j) move[j] -= point_[j], change[j] -= gradient_[j];
    if (!(dot(move, change) > 1e-12 * dot(change, change))) return;
    if (moves_.size() == kMemory) moves_.erase(moves_.begin()), changes_.erase(changes_.begin());
    moves_.push_back(std::move(move));
    changes_.push_back(std::move(change));
  }
  void choose_direction() {
    direction_ = gradient_;
    Vector share(moves_.size());
    const auto add = [this](double times, const Vector& to) {
      for (std::size_t j = 0; j < to.size(); ++j) direction_[j] += times * to[j];
    };
    for (std::size_t i = moves_.size(); i-- > 0;) {
      share[i] = dot(moves_[i], direction_) / dot(moves_[i], changes_[i]);
      add(-share[i], changes_[i]);
    }
    const double scale =
        moves_.empty() ? 1 : dot(moves_.back(), changes_.back()) / dot(changes_.back(), changes_.back());
    for (double& d : direction_) d *= scale;
    for (std::size_t i = 0; i < moves_.size(); ++i)
      add(share[i] - dot(changes_[i], direction_) / dot(moves_[i], changes_[i]), moves_[i]);
    for (double& d : direction_) d = -d;
  }

  double l2_, tolerance_;
  Vector point_, gradient_, direction_;  // the last accepted point, and the way from there
  double value_ = 0, slope_ = 0, step_ = 1;
  std::vector<Vector> moves_, changes_;  // of points and gradients, the last ones
};

class Lbfgs final : public io::RowsApp<RowsPush> {
 public:
  using RowsApp::RowsApp;
  void look_at(io::LabelledRow& row, std::uint64_t, Facts&) const override { row.label = row.sign(); }
  Table table(const Facts& facts) const override {
    const auto width = static_cast<std::uint32_t>(facts.count("columns") + 1);
    return {.name = "weights", .keys = 1, .row_width = width, .part_width = width + 1, .single_partition = true};
  }
  std::vector<Term> terms() const override {
    return {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}};
  }
  StopBelow stop() const override { return {.by_pull = true}; }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<LbfgsPull>(settings_); }
};
}  // namespace

ROTA_APP(Lbfgs, .name = "lbfgs", .summary = "Logistic regression by L-BFGS.", .items = "rows", .epochs = 1000,
         .framework_needs = kSynchronous);
