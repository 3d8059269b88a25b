// apps/lasso/by_rows/fit_controller.h -- the course of a job when shards are ranges of rows: the purpose of its rounds.
//
// An epoch is a number of rounds that update coefficients, and then a screen of all of them (Step::screen), which gives
// the duality gap and the current priority of every coefficient.  If the objective has risen, the epoch is undone;
// then, and if it has hardly fallen for long, rounds no longer overlap or the batch is halved.  A converged fit is
// recorded, and the next one begins with a screen.  Several schedulers, each with its share of the coefficients, take
// these steps together: they decide on the same data.
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/fit_sequence.h"
#include "rota/schedule.h"

namespace rota::lasso {

class FitController {
 public:
  // `staleness`: how many rounds a push may lag.
  FitController(const Settings& settings, Share share, std::uint32_t staleness)
      : settings_(settings), share_(share), staleness_(staleness), sequence_(settings), batch_(settings.coordinates) {}

  // The next round.  One that updates coefficients does not name any yet.
  Round next();
  // After coefficients have changed.
  void record_changes(const Commit& commit);
  // After a screen of all of them.
  void evaluate_screen(RowsCertificate certificate);

  // Coefficients that a round may change.
  std::uint32_t batch() const { return batch_; }
  // The last screen, unless it found that the epoch must be undone; then the one before.
  const RowsCertificate& good() const { return good_; }

  std::vector<Figure> figures();
  bool converged() const { return sequence_.converged(); }
  void fields(auto& list) {
    std::vector<std::pair<Key, double>> nonzero(nonzero_.begin(), nonzero_.end());
    std::vector<std::pair<Key, double>> before(before_.begin(), before_.end());
    list(sequence_, batch_, alone_, beginning_, looks_, since_gain_, good_, nonzero, before);
    list.check(batch_ > 0 && beginning_ <= Beginning::record);
    for (const auto* const values : {&nonzero, &before})
      for (const auto& [key, value] : *values) list.check(key < good_.all_columns || key == kIntercept);
    nonzero_ = {nonzero.begin(), nonzero.end()};
    before_ = {before.begin(), before.end()};
  }

 private:
  // How an epoch begins.
  enum class Beginning : std::uint8_t { start, screen, update, undo, record };

  void plan();
  void add(Round round, Step step);
  void add_start();
  void add_undo();
  void add_updates();
  void add_record();
  void add_screen();
  void add_barrier_rounds();
  void reduce_parallelism();

  Settings settings_;
  Share share_;
  std::uint32_t staleness_;
  FitSequence sequence_;
  std::uint32_t batch_;
  bool alone_ = false;         // each round waits until its changes are seen, for any staleness
  std::deque<Round> planned_;  // of the epoch
  Beginning beginning_ = Beginning::start;
  std::uint32_t looks_ = 0;       // screens of the current fit
  std::uint64_t since_gain_ = 0;  // updates of coefficients since the objective has fallen enough
  RowsCertificate good_;
  std::map<Key, double> nonzero_;  // coefficients of this share
  std::map<Key, double> before_;   // values at the last good screen of those that have changed since
  std::vector<Figure> figures_;    // of the epoch
};

}  // namespace rota::lasso
