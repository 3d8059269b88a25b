// apps/examples/lbfgs.cc -- logistic regression by L-BFGS: the sum of log(1 + exp(-y w x)) + l2/2 |w|^2.  An intercept
// is a column of ones in the data.
//
// Source: Nocedal and Wright, "Numerical Optimization", 2nd edition, algorithms 7.4 and 3.1.  The only row of the table
// is the point at which the shards compute loss and gradient; the pull has everything else.
#include <rota/io/rows_app.h>
#include <rota/numerics/portable_math.h>
#include <rota/plugin.h>

#include <cmath>
#include <numeric>

namespace {
using namespace rota;
using Vector = std::vector<double>;

struct Settings {
  double l2 = 1, tolerance = 1e-3;
  void options(auto& list) {
    list.number("l2", l2, "", 0, 1e12, "The penalty of the squared weights.");
    list.number("tolerance", tolerance, "", 0, 1e12, "End when no number of the gradient is larger.");
  }
};

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// A part: the gradient of the losses, then their sum.
class RowsPush final : public ItemsPush<io::LabelledRow, Settings> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> part = task.parts[0];
    for (const io::LabelledRow& row : items_) {
      const double margin = row.label * row.times(table_.numbers());
      for (const auto& [column, x] : row.entries) part[column] -= row.label * sigmoid(-margin) * x;
      part.back() += log_loss_of(margin);
    }
    return items_.size();
  }
  void evaluate(Terms terms) const override {
    for (const io::LabelledRow& row : items_) terms["loss"] += log_loss_of(row.label * row.times(table_.numbers()));
  }
};

class LbfgsPull final : public Pull {
 public:
  explicit LbfgsPull(const Settings& settings) : settings_(settings) {}
  void pull(const PullTask& task) override {
    const auto [key, sum, w] = task.entries[0];
    Vector gradient(sum.begin(), sum.end() - 1);
    for (std::size_t j = 0; j < w.size(); ++j) gradient[j] += settings_.l2 * w[j];
    const double value = sum.back() + penalty(w);
    if (!(value <= value_ + 1e-4 * step_ * slope_)) {
      step_ /= 2;  // too far
    } else {
      if (!point_.empty()) remember(w, gradient);
      point_.assign(w.begin(), w.end());
      gradient_ = std::move(gradient);
      value_ = value;
      choose_direction();
      slope_ = dot(gradient_, direction_);
      step_ = changes_.empty() ? std::min(1.0, 1 / std::sqrt(-slope_)) : 1;
    }
    const auto is_small = [&](double g) { return std::abs(g) <= settings_.tolerance; };
    const bool ends = std::ranges::all_of(gradient_, is_small) || step_ < 1e-20;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = point_[j] + (ends ? 0 : step_ * direction_[j]);
    write_fields(task.reply, ends);
  }
  void evaluate(TableId, Key, std::span<const double> w, Terms terms) const override { terms["penalty"] += penalty(w); }
  void state(Archive& list) override { list(point_, gradient_, direction_, value_, slope_, step_, scale_, changes_); }

 private:
  double penalty(std::span<const double> w) const { return settings_.l2 / 2 * dot(w, w); }
  void remember(std::span<const double> w, Vector change) {
    Vector move(w.begin(), w.end());
    for (std::size_t j = 0; j < move.size(); ++j) move[j] -= point_[j], change[j] -= gradient_[j];
    if (!(dot(move, change) > 1e-12 * dot(change, change))) return;
    scale_ = dot(move, change) / dot(change, change);
    if (changes_.size() == 10) changes_.erase(changes_.begin());
    changes_.emplace_back(std::move(move), std::move(change));
  }
  // Minus the gradient times the estimated inverse of the Hessian: algorithm 7.4.
  void choose_direction() {
    direction_ = gradient_;
    const auto add = [this](double times, const Vector& to) {
      for (std::size_t j = 0; j < to.size(); ++j) direction_[j] += times * to[j];
    };
    Vector shares;
    for (std::size_t i = changes_.size(); i-- > 0;) {
      const auto& [move, change] = changes_[i];
      shares.push_back(dot(move, direction_) / dot(move, change));
      add(-shares.back(), change);
    }
    for (double& d : direction_) d *= scale_;
    for (const auto& [move, change] : changes_) {
      add(shares.back() - dot(change, direction_) / dot(move, change), move);
      shares.pop_back();
    }
    for (double& d : direction_) d = -d;
  }

  Settings settings_;
  Vector point_, gradient_, direction_;  // the last accepted point, and the way from there
  double value_ = std::numeric_limits<double>::infinity(), slope_ = 0, step_ = 1, scale_ = 1;
  std::vector<std::pair<Vector, Vector>> changes_;  // of points and gradients, the last ten
};

class Lbfgs final : public io::RowsApp<RowsPush> {
 public:
  using RowsApp::RowsApp;
  void look_at(io::LabelledRow& row, std::uint64_t, Facts&) const override { row.label = row.sign(); }
  Table table(const Facts& facts) const override {
    const auto width = static_cast<std::uint32_t>(facts.count("columns"));
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
