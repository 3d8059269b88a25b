#include "apps/lasso/by_columns/schedule.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>

namespace rota::lasso {

namespace {

// How many columns may enter in addition to those that the support needs: at least the first number, and up to the
// second as long as they have at most this share of all entries.  Then solving with them costs little compared with a
// screen of all columns.  Long columns that are not needed slow down every step of the solver.
constexpr std::size_t kLeastColumns = 100, kMostColumns = 1000;
constexpr double kShareOfEntries = 1.0 / 32;
// A set that has grown beyond this multiple of the wanted size is rebuilt.
constexpr std::size_t kMostTimesWanted = 4;
// The working set counts as solved at this share of the last gap: a large one while the set still lacks columns that
// are far beyond their bounds, a small one once all are near, and almost none once few are left to enter, which saves
// screens of all columns.  Never below a part of the tolerance of the fit.
constexpr double kInnerShare = 0.3, kInnerShareNear = 0.01, kInnerShareLess = 0.1;
constexpr double kNear = 3;       // largest gradient, in units of the bound
constexpr std::size_t kFew = 20;  // at most one candidate for that many columns of the set
constexpr double kShareOfTolerance = 0.3;
// A fit that has not converged by then is recorded with its gap.
constexpr std::uint32_t kScreensMost = 500;

}  // namespace

WorkingSetSchedule::WorkingSetSchedule(const Settings& settings)
    : settings_(settings), sequence_(settings), inner_share_(kInnerShare) {
  plan_start();
  plan_screen();
}

Round WorkingSetSchedule::next(Random&) {
  Round round = std::move(planned_.front());
  planned_.pop_front();
  return round;
}

void WorkingSetSchedule::feedback(const Commit& commit) {
  switch (argument_of(commit.argument).step) {
    case Step::solve:
      support_.clear();
      for (const Delta& delta : commit.deltas)
        if (delta.key != kIntercept && delta.value[0] != 0) support_.push_back(delta.key);
      break;
    case Step::screen:
      certificate_ = read_fields<Certificate>(commit.reply);
      ++screens_;
      go_on();
      break;
    default:
      break;
  }
}

// After a screen of all columns.
void WorkingSetSchedule::go_on() {
  if (!sequence_.begun()) {
    const bool other_rows = sequence_.begin(certificate_.steepest / settings_.l1_ratio);
    screens_ = 0;
    if (!other_rows) return grow(true);
    plan_start();
    return plan_screen();
  }
  const bool done = certificate_.gap <= settings_.tolerance * certificate_.null_objective;
  if (!done && screens_ < kScreensMost) return grow(false);
  plan_record();
  sequence_.end_fit(done);
  const bool other_rows = sequence_.advance();
  if (sequence_.done()) {
    planned_.back().ends_job = true;
    return;
  }
  screens_ = 0;
  if (!other_rows) return grow(true);
  plan_start();
  plan_screen();
}

std::size_t WorkingSetSchedule::most_wanted() const {
  return std::max(kMostColumns, 2 * support_.size());
}

// Adds the nearest columns to the working set, and requests its solution.
void WorkingSetSchedule::grow(bool new_penalty) {
  if (working_.size() > kMostTimesWanted * most_wanted()) working_ = {support_.begin(), support_.end()};
  entering_.clear();
  const std::size_t least = std::max(kLeastColumns, 2 * support_.size());
  const double entries = kShareOfEntries * static_cast<double>(certificate_.entries);
  double held = 0;
  std::size_t looked_at = 0;
  for (const Candidate& one : certificate_.candidates) {
    held += static_cast<double>(one.entries);
    if (++looked_at > most_wanted() || (looked_at > least && held > entries)) break;
    if (working_.insert(one.column).second) entering_.push_back(one.column);
  }
  const bool near = certificate_.steepest <= kNear * sequence_.lambda() * settings_.l1_ratio;
  const bool last_ones = near && kFew * entering_.size() <= working_.size();
  // If there is nothing new to add, the rest of the gap is the working set's own: it must be solved further, or the
  // next screen would find the same.  The second time in a row even beyond the tolerance of the fit.
  const bool further = entering_.empty() && !new_penalty, again = further && inner_share_ < kInnerShareNear;
  inner_share_ = again                  ? kInnerShareLess * (inner_share_ > 0 ? inner_share_ : kInnerShareNear)
                 : further || last_ones ? 0
                 : near                 ? kInnerShareNear
                                        : kInnerShare;
  plan_solve(again ? 0 : kShareOfTolerance * settings_.tolerance * certificate_.null_objective);
  plan_screen();
}

void WorkingSetSchedule::plan_start() {
  working_.clear();
  support_.clear();
  Round round;
  round.table = kCoefficients;
  round.argument = sequence_.argument(Step::start);
  round.shared = {kIntercept};
  planned_.push_back(std::move(round));
}

void WorkingSetSchedule::plan_screen() {
  Round round;
  round.table = kCoefficients;
  round.argument = sequence_.argument(Step::screen);
  round.argument.push_back(static_cast<double>(most_wanted()));
  round.ends_epoch = true;
  planned_.push_back(std::move(round));
}

// To this share of the gap, or to `least` if that is more.
void WorkingSetSchedule::plan_solve(double least) {
  Round round;
  round.table = kCoefficients;
  round.argument = sequence_.argument(Step::solve);
  round.argument.push_back(inner_share_);
  round.argument.push_back(least);
  round.argument.push_back(static_cast<double>(entering_.size()));
  round.shared.push_back(kIntercept);
  round.shared.insert(round.shared.end(), entering_.begin(), entering_.end());
  const std::set<Key> entering(entering_.begin(), entering_.end());
  std::set_difference(working_.begin(), working_.end(), entering.begin(), entering.end(),
                      std::back_inserter(round.shared));
  planned_.push_back(std::move(round));
}

void WorkingSetSchedule::plan_record() {
  Round fit;
  fit.table = kFits;
  fit.argument = sequence_.argument(Step::record);
  fit.shared = {fit_key(sequence_.fold(), sequence_.penalty())};
  planned_.push_back(std::move(fit));
  if (sequence_.fold() != 0) return;
  Round path;
  path.table = kPath;
  path.argument = sequence_.argument(Step::record);
  path.shared.push_back(path_key(sequence_.penalty(), kIntercept));
  for (const Key column : support_) path.shared.push_back(path_key(sequence_.penalty(), column));
  planned_.push_back(std::move(path));
}

std::vector<Figure> WorkingSetSchedule::figures() {
  return {{"fold", static_cast<double>(sequence_.fold())},
          {"penalty", static_cast<double>(sequence_.penalty())},
          {"lambda", sequence_.lambda()},
          {"gap", certificate_.gap},
          {"working_set", static_cast<double>(working_.size())},
          {"entering", static_cast<double>(entering_.size())},
          {"nonzeros", static_cast<double>(support_.size())}};
}

void WorkingSetSchedule::save(Writer& out) const {
  FieldWriter list(out);
  list(sequence_, certificate_, std::vector<Key>(working_.begin(), working_.end()), support_, entering_, inner_share_,
       screens_);
  // The planned rounds follow from the rest, except those that have been planned already.
  out.put_varint(planned_.size());
  for (const Round& round : planned_) {
    out.put(round.table);
    out.put_all(std::span<const Key>(round.shared));
    out.put_all(std::span<const double>(round.argument));
    out.put(round.ends_epoch);
    out.put(round.ends_job);
  }
}

void WorkingSetSchedule::restore(Reader& in) {
  FieldReader list(in);
  std::vector<Key> working;
  list(sequence_, certificate_, working, support_, entering_, inner_share_, screens_);
  working_ = {working.begin(), working.end()};
  planned_.clear();
  for (std::size_t left = in.get_count(1); left > 0 && in.ok(); --left) {
    Round round;
    round.table = in.get<TableId>();
    round.shared = in.get_all<Key>();
    round.argument = in.get_all<double>();
    round.ends_epoch = in.get<std::uint8_t>() != 0;
    round.ends_job = in.get<std::uint8_t>() != 0;
    planned_.push_back(std::move(round));
  }
}

}  // namespace rota::lasso
