#include "apps/lasso/by_rows/fit_controller.h"

#include <algorithm>
#include <utility>

namespace rota::lasso {
namespace {

// Rounds that update coefficients between two screens.  Priorities should be renewed soon, for any number of columns: a
// screen finds at once what draws find by chance.  The other orders do not use priorities, and screen every sixteenth
// of a pass: a screen computes as much as a pass, but it is one exchange.
constexpr std::uint64_t kUpdatesLeast = 16, kUpdatesMost = 1024;
constexpr std::uint64_t kLooksInPass = 16;
// Share of the objective by which rounding may raise it.
constexpr double kRounding = 1e-10;
// Share of the gap that two updates of every coefficient gain at least, if they do not interfere.
constexpr double kLeastGain = 1e-7;
constexpr std::uint64_t kUpdatesForGain = 2;
// A fit that has not converged by then is recorded with its gap.
constexpr std::uint32_t kLooksMost = 10'000;

}  // namespace

Round FitController::next() {
  if (planned_.empty()) plan();
  Round round = std::move(planned_.front());
  planned_.pop_front();
  return round;
}

void FitController::plan() {
  switch (beginning_) {
    case Beginning::start:
      add_start();
      break;
    case Beginning::screen:
      break;
    case Beginning::undo:
      add_undo();
      if (looks_ >= kLooksMost) break;  // recorded after the next screen
      [[fallthrough]];
    case Beginning::update:
      add_updates();
      break;
    case Beginning::record:
      add_record();
      const bool other_rows = sequence_.advance();
      looks_ = 0;
      if (sequence_.done()) {
        planned_.back().ends_epoch = planned_.back().ends_job = true;
        return;
      }
      if (other_rows) add_start();
      break;
  }
  add_screen();
}

void FitController::add(Round round, Step step) {
  const std::vector<double> more = std::exchange(round.argument, sequence_.argument(step));
  round.argument.insert(round.argument.end(), more.begin(), more.end());
  planned_.push_back(std::move(round));
}

// Empty rounds, until all shards have seen the earlier ones.
void FitController::add_barrier_rounds() {
  for (std::uint32_t i = 0; i < staleness_; ++i) add({}, Step::record);
}

void FitController::add_start() {
  Round round;
  if (share_.index == 0 && settings_.intercept) round.shared.push_back(kIntercept);
  for (const auto& [key, value] : nonzero_) round.shared.push_back(key);
  add(std::move(round), Step::start);
  add_barrier_rounds();
}

void FitController::add_undo() {
  Round round;
  if (share_.index == 0 && settings_.intercept) before_[kIntercept] = good_.intercept;
  for (const auto& [key, value] : before_) {
    round.shared.push_back(key);
    round.argument.push_back(value);
  }
  add(std::move(round), Step::undo);
  add_barrier_rounds();
}

void FitController::add_updates() {
  std::uint64_t updates = kUpdatesLeast;
  if (settings_.order != Order::priority)
    updates = std::clamp(good_.all_columns / (std::uint64_t{batch_} * share_.count * kLooksInPass), kUpdatesLeast,
                         kUpdatesMost);
  for (; updates > 0; --updates) {
    add({}, Step::update);
    if (alone_) add_barrier_rounds();
  }
  add_barrier_rounds();
}

void FitController::add_screen() {
  Round round;
  round.argument.push_back(share_.index);
  round.ends_epoch = true;
  add(std::move(round), Step::screen);
}

void FitController::add_record() {
  Round fit;
  fit.table = kFits;
  if (share_.index == 0) fit.shared.push_back(fit_key(sequence_.fold(), sequence_.penalty()));
  add(std::move(fit), Step::record);
  if (sequence_.fold() != 0) return;
  Round path;
  path.table = kPath;
  if (share_.index == 0) path.shared.push_back(path_key(sequence_.penalty(), kIntercept));
  for (const auto& [key, value] : nonzero_) path.shared.push_back(path_key(sequence_.penalty(), key));
  add(std::move(path), Step::record);
}

void FitController::record_changes(const Commit& commit) {
  for (const auto& [key, value, change] : commit.deltas) {
    if (key == kIntercept || change[0] == 0) continue;
    const auto place = nonzero_.find(key);
    before_.emplace(key, place == nonzero_.end() ? 0 : place->second);
    if (value[0] != 0)
      nonzero_[key] = value[0];
    else if (place != nonzero_.end())
      nonzero_.erase(place);
  }
}

void FitController::evaluate_screen(RowsCertificate certificate) {
  figures_ = {{"fold", static_cast<double>(sequence_.fold())},
              {"penalty", static_cast<double>(sequence_.penalty())},
              {"lambda", sequence_.lambda()},
              {"objective", certificate.objective},
              {"gap", certificate.gap},
              {"coordinates", static_cast<double>(batch_)}};
  const double gain = looks_++ == 0 ? certificate.objective : good_.objective - certificate.objective;
  const bool risen = !(gain >= -kRounding * good_.objective);  // also if it is infinite or NaN
  since_gain_ = gain < kLeastGain * certificate.gap ? since_gain_ + certificate.updates : 0;
  if (risen || since_gain_ >= kUpdatesForGain * certificate.all_columns) reduce_parallelism();
  figures_.push_back({"undone", risen ? 1.0 : 0.0});
  if (risen) {
    beginning_ = Beginning::undo;
    return;
  }
  before_.clear();
  good_ = std::move(certificate);
  if (!sequence_.begun()) {
    looks_ = 0;
    beginning_ = sequence_.begin(good_.steepest / settings_.l1_ratio) ? Beginning::start : Beginning::screen;
    return;
  }
  const bool done = good_.gap <= settings_.tolerance * good_.null_objective;
  beginning_ = done || looks_ >= kLooksMost ? Beginning::record : Beginning::update;
  if (beginning_ == Beginning::record) sequence_.end_fit(done);
}

// Changes that do not see each other may cycle or diverge: first reduces staleness, then the size of a round.
void FitController::reduce_parallelism() {
  since_gain_ = 0;
  if (staleness_ > 0 && !alone_)
    alone_ = true;
  else
    batch_ = std::max<std::uint32_t>(batch_ / 2, 1);
}

std::vector<Figure> FitController::figures() {
  return std::exchange(figures_, {});
}

}  // namespace rota::lasso
