// rota/schedule.h -- the first of the three steps: what may change at once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rota/bytes.h"
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

// What a schedule wishes to hear of the rounds that it chose.  The store sends no more.
enum class Feedback : std::uint8_t {
  changes,  // every row's new value, and what changed: Commit::deltas
  norms,    // how far the rows of the round went: Commit::norms
  reply,    // only what pull replied
};

// Lives in a scheduler process.  The host calls one object from one thread.
class Schedule {
 public:
  virtual ~Schedule() = default;

  // Cuts the sliced table; called once, before the first next().  `slices` is how many are wanted.
  virtual Cut cut(const Census&, std::uint32_t /*slices*/) { return {}; }
  // How many shared rounds may be out before their feedback is in; `wish` is what the user asked for, 0 if nothing.
  // With a pipeline of d, the k-th round of an epoch (k = 0, 1, ...) is chosen when exactly max(0, k - d + 1) of the
  // epoch's rounds were fed back.  0: this schedule needs no feedback, so whole epochs may be known ahead.
  virtual std::uint32_t pipeline(std::uint32_t wish) const { return wish > 0 ? wish : 1; }
  // What feedback() is given, beside pull's reply; asked once, like pipeline().  With a pipeline of 0 nothing is sent.
  virtual Feedback wish() const { return Feedback::changes; }
  // Chooses the next round.  The Random is seeded anew for every epoch.
  virtual Round next(Random&) = 0;
  // Tells the result of a round that this schedule chose, in their order.
  virtual void feedback(const Commit&) {}

  // Figures of the epoch that has just ended, for its record: what was drawn, what was refused, ...
  virtual std::vector<Figure> figures() { return {}; }

  // Whether the job has come to where it should: false as long as it has not, or if it was given up.  No value: this
  // schedule knows no such place.  Asked when an epoch has ended; what it says of the last one is the job's result.
  virtual std::optional<bool> converged() const { return std::nullopt; }

  // Whether ends_job() may ever say so; asked once, like pipeline().  Then no epoch begins before the one before it has
  // ended.
  virtual bool may_end_job() const { return false; }
  // Asked when an epoch has ended and all its feedback is in: whether it was the last.  Of several schedules, all must
  // say so of the same epoch.  (Round::ends_job says it ahead.)
  virtual bool ends_job() { return false; }

  // What next() depends on, at the end of an epoch.
  virtual void save(Writer&) const {}
  virtual void restore(Reader&) {}
};

}  // namespace rota
