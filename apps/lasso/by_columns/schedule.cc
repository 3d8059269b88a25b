#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "apps/lasso/by_columns/hooks.h"
#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/fit_sequence.h"

namespace rota::lasso {
namespace {

// How many columns may enter in addition to those that the support needs: at least the first number, and up to the
// second as long as they have at most this share of all entries.  Then solving with them costs little compared with a
// screen of all columns.  Long columns that are not needed slow down every step of the solver.
constexpr std::size_t kLeastColumns = 10, kMostColumns = 1000;
constexpr double kShareOfEntries = 1.0 / 32;
// Each set of the logistic loss begins with new curvatures of all rows, so it has few sets: one of all columns, if the
// matrix has no more columns and entries than these.
constexpr std::size_t kLeastOfLogistic = 100, kFewColumns = 512;
constexpr std::uint64_t kFewEntries = 8'000'000;
// A set that has grown beyond this multiple of the wanted size is rebuilt.
constexpr std::size_t kMostTimesWanted = 4;
// The working set counts as solved at this share of the last gap while it still lacks columns that are far beyond their
// bounds, and at a part of the tolerance of the fit once all are near: that saves screens of all columns.  Of a set of
// all columns nothing but rounding is missing in that part.
constexpr double kInnerShare = 0.3, kShareOfTolerance = 0.3, kShareOfWhole = 0.95;
constexpr double kNear = 3;  // largest gradient, in units of the bound
// If that was not enough and no column is left to enter: this share of the gap, and the next time a part of it.
constexpr double kInnerShareFurther = 1e-3, kInnerShareLess = 0.1;
// Rounds of an epoch at most: of a fit that ends, two records; a solve or a start; a screen.
constexpr std::uint32_t kRoundsMost = 4;
// A fit that has not converged by then is recorded with its gap.
constexpr std::uint32_t kScreensMost = 500;

// A planned round, as far as this schedule uses them.
struct Plan {
  Round round;

  void fields(auto& list) { list(round.table, round.shared, round.argument, round.ends_epoch, round.ends_job); }
};

class WorkingSetSchedule final : public Schedule {
 public:
  explicit WorkingSetSchedule(const ColumnSettings& settings) : settings_(settings), sequence_(settings) {
    start_rows();
  }

  // An epoch's rounds are planned together, so all of them go out at once.
  std::uint32_t pipeline(std::uint32_t) const override { return kRoundsMost; }
  Round next(Random&) override {
    Round round = std::move(planned_.front().round);
    planned_.erase(planned_.begin());
    return round;
  }

  void feedback(const Commit& commit) override {
    const Step step = commit.argument.as<ColumnsStep>().step;
    if (step == Step::solve) {
      support_.clear();
      for (const Delta& delta : commit.deltas)
        if (delta.key != kIntercept && delta.value[0] != 0) support_.push_back(delta.key);
    } else if (step == Step::screen) {
      certificate_ = read_fields<Certificate>(commit.reply);
      ++screens_;
      go_on();
    }
  }

  std::vector<Figure> figures() override {
    return {{"fold", static_cast<double>(sequence_.fold())},
            {"penalty", static_cast<double>(sequence_.penalty())},
            {"lambda", sequence_.lambda()},
            {"gap", certificate_.gap},
            {"working_set", static_cast<double>(working_.size())},
            {"entering", static_cast<double>(entering_.size())},
            {"nonzeros", static_cast<double>(support_.size())}};
  }
  std::optional<bool> converged() const override { return sequence_.converged(); }
  void state(Archive& list) override {
    std::vector<Key> working(working_.begin(), working_.end());
    list(sequence_, certificate_, working, support_, entering_, inner_share_, screens_, planned_);
    working_ = {working.begin(), working.end()};
  }

 private:
  // After a screen of all columns.
  void go_on() {
    bool other_rows = false;
    if (!sequence_.begun()) {
      other_rows = sequence_.begin(certificate_.steepest / settings_.l1_ratio);
    } else {
      const bool done = certificate_.gap <= settings_.tolerance * certificate_.null_objective;
      if (!done && screens_ < kScreensMost) return grow(false);
      plan_record();
      sequence_.end_fit(done);
      other_rows = sequence_.advance();
      if (sequence_.done()) {
        planned_.back().round.ends_job = true;
        return;
      }
    }
    screens_ = 0;
    other_rows ? start_rows() : grow(true);
  }

  // The first fit of a path begins: without coefficients, possibly on other rows.
  void start_rows() {
    working_.clear();
    support_.clear();
    planned_.push_back({sequence_.round(kCoefficients, ColumnsStep{{Step::start}}, {kIntercept})});
    plan_screen();
  }

  std::size_t most_wanted() const { return std::max(kMostColumns, 2 * support_.size()); }

  // Adds the nearest columns to the working set, and requests its solution.
  void grow(bool new_penalty) {
    if (working_.size() > kMostTimesWanted * most_wanted()) working_ = {support_.begin(), support_.end()};
    entering_.clear();
    const bool logistic = settings_.loss == Loss::logistic;
    const std::size_t least = std::max(logistic ? kLeastOfLogistic : kLeastColumns, 2 * support_.size());
    const double entries = kShareOfEntries * static_cast<double>(certificate_.entries);
    // So few candidates are all columns, because more would be listed.
    const bool whole = logistic && certificate_.candidates.size() <= kFewColumns && certificate_.entries <= kFewEntries;
    double held = 0;
    std::size_t looked_at = 0;
    for (const Candidate& one : certificate_.candidates) {
      held += static_cast<double>(one.entries);
      ++looked_at;
      if (!whole && (looked_at > most_wanted() || (looked_at > least && held > entries))) break;
      if (working_.insert(one.column).second) entering_.push_back(one.column);
    }
    const bool near = certificate_.steepest <= kNear * sequence_.lambda() * settings_.l1_ratio;
    // If there is nothing new to add, the rest of the gap is the working set's own: it must be solved further, or the
    // next screen would find the same.  The second time in a row even beyond the tolerance of the fit.
    const bool further = entering_.empty() && !new_penalty, again = further && inner_share_ < kInnerShare;
    inner_share_ = again                      ? (inner_share_ > 0 ? kInnerShareLess * inner_share_ : kInnerShareFurther)
                   : further || near || whole ? 0
                                              : kInnerShare;
    const double share = whole ? kShareOfWhole : kShareOfTolerance;
    plan_solve(again ? 0 : share * settings_.tolerance * certificate_.null_objective);
    plan_screen();
  }

  void plan_screen() {
    planned_.push_back({sequence_.round(kCoefficients, ColumnsStep{{Step::screen}, most_wanted()})});
    planned_.back().round.ends_epoch = true;
  }

  // To this share of the gap, or to `least` if that is more.
  void plan_solve(double least) {
    std::vector<Key> shared = {kIntercept};
    shared.insert(shared.end(), entering_.begin(), entering_.end());
    const std::set<Key> entering(entering_.begin(), entering_.end());
    std::ranges::set_difference(working_, entering, std::back_inserter(shared));
    const ColumnsStep argument{{Step::solve}, 0, inner_share_, least, entering_.size()};
    planned_.push_back({sequence_.round(kCoefficients, argument, std::move(shared))});
  }

  void plan_record() {
    const std::uint32_t fold = sequence_.fold(), penalty = sequence_.penalty();
    planned_.push_back({sequence_.round(kFits, ColumnsStep{{Step::record}}, {fit_key(fold, penalty)})});
    if (fold != 0) return;
    std::vector<Key> shared = {path_key(penalty, kIntercept)};
    for (const Key column : support_) shared.push_back(path_key(penalty, column));
    planned_.push_back({sequence_.round(kPath, ColumnsStep{{Step::record}}, std::move(shared))});
  }

  ColumnSettings settings_;
  FitSequence sequence_;
  std::vector<Plan> planned_;         // the next first
  std::set<Key> working_;             // columns that the solver has
  std::vector<Key> support_;          // those of them that are not zero
  std::vector<Key> entering_;         // those that the next solve adds
  Certificate certificate_;           // the last
  double inner_share_ = kInnerShare;  // share of the gap at which the working set counts as solved
  std::uint32_t screens_ = 0;         // of the current fit
};

}  // namespace

std::unique_ptr<Schedule> columns_schedule(const ColumnSettings& settings) {
  return std::make_unique<WorkingSetSchedule>(settings);
}

}  // namespace rota::lasso
