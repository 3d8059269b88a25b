// rota/schedule.h -- the first of the three steps: what may change at once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rota/bytes.h"
#include "rota/fields.h"
#include "rota/random.h"
#include "rota/round.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// Which of a job's schedulers an object belongs to.  Each chooses among its own share of the keys; the coordinator
// takes one round from each in turn.
struct Share {
  std::uint32_t index = 0;
  std::uint32_t count = 1;
};

struct Figure {
  std::string name;
  double value = 0;
};

// What a schedule needs to know about the rounds that it chose.  The store sends nothing else.
enum class Feedback : std::uint8_t {
  changes,  // every row's new value, and what changed: Commit::deltas
  norms,    // the size of the change of the round's rows: Commit::norms
  reply,    // only what pull replied
};

// One object in a scheduler process.  The host calls it from one thread.  state() lists what next() depends on.
class Schedule : public Stateful {
 public:
  // Divides the sliced table; called once, before the first next().  `slices`: how many to make.
  virtual Cut cut(const Census&, std::uint32_t /*slices*/) { return {}; }
  // How many shared rounds may be in flight without feedback; `wish` is the user's choice, 0 if none.  With a pipeline
  // of d, the k-th round of an epoch (k = 0, 1, ...) is chosen when the feedback of exactly max(0, k - d + 1) of the
  // epoch's rounds has arrived.  0: this schedule needs no feedback, so whole epochs may be known ahead.
  virtual std::uint32_t pipeline(std::uint32_t wish) const { return wish > 0 ? wish : 1; }
  // What feedback() is given, in addition to pull's reply; called once, like pipeline().  With a pipeline of 0 nothing
  // is sent.
  virtual Feedback wish() const { return Feedback::changes; }
  // Chooses the next round.  The Random is seeded for every epoch.
  virtual Round next(Random&) = 0;
  // The result of a round that this schedule chose, in the order of the rounds.
  virtual void feedback(const Commit&) {}

  // Figures of the epoch that has just ended, for metrics.jsonl: what was drawn, what was refused, ...
  virtual std::vector<Figure> figures() { return {}; }

  // Whether the job has converged: false if it has not yet, or if the schedule gave up.  No value: this schedule has no
  // criterion.  Called at the end of an epoch; the value at the end of the last one is the job's result.
  virtual std::optional<bool> converged() const { return std::nullopt; }

  // Whether ends_job() may ever return true; called once, like pipeline().  If so, no epoch begins before the answer
  // for the previous one is known.
  virtual bool may_end_job() const { return false; }
  // Called at the end of an epoch, after all its feedback: whether it was the last.  If there are several schedules,
  // all must return true for the same epoch.  (Round::ends_job announces it ahead.)
  virtual bool ends_job() { return false; }
};

}  // namespace rota
