// rota/schedule.h -- the first of the three steps: what may change at once.
#pragma once
#include <span>

#include "rota/bytes.h"
#include "rota/random.h"
#include "rota/round.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// Lives in a scheduler process.  The host calls one object from one thread.
class Schedule {
 public:
  virtual ~Schedule() = default;

  // Cuts the sliced table; called once, before the first next().  `slices` is how many are wanted.
  virtual Cut cut(const Census&, std::uint32_t /*slices*/) { return {}; }
  // How many rounds this schedule wants out before their feedback is in, if the user does not say.  0: it needs no
  // feedback, so whole epochs may be known ahead.
  virtual std::uint32_t pipeline() const { return 1; }
  // Chooses the next round.  The Random is seeded anew for every epoch.
  virtual Round next(Random&) = 0;
  // Tells what commits changed, in commit order.
  virtual void feedback(std::span<const Delta>) {}

  // What next() depends on, at the end of an epoch.
  virtual void save(Writer&) const {}
  virtual void restore(Reader&) {}
};

}  // namespace rota
