// core/runtime/process_end.h -- how a process ends: its work is done, the coordinator dismisses it, it fails, or a
// signal asks it to.
#pragma once
#include <optional>

#include "core/runtime/router.h"

namespace rota {

class ProcessEnd {
 public:
  // `router` outlives it.
  explicit ProcessEnd(Router& router) : router_(router) {}

  // The process sends nothing new, and waits until its last messages are acknowledged.  Only the first call counts.
  void begin(Ending ending, Nanoseconds now);
  // The same by the coordinator, which waits for no message of this process.
  void dismiss(Ending ending, Nanoseconds now) {
    dismissed_ = true;
    begin(std::move(ending), now);
  }
  // The process failed, and waits for the coordinator's STOP.  False: it had failed before, or is ending.
  bool fail(Ending fault, Nanoseconds now);
  // A signal to end.
  enum class Signal { first, again, same };  // same: batch systems and launchers often send one twice at once
  Signal signal(Nanoseconds now);
  // Ends a process that failed and got no STOP in time.
  void tick(Nanoseconds now);
  // Completes the end if nothing is left to wait for.
  void settle(Nanoseconds now);

  bool begun() const { return ending_.has_value(); }
  // Set once it is complete.
  const std::optional<Ending>& complete() const { return complete_; }

 private:
  Router& router_;
  Nanoseconds signal_at_ = 0;
  std::optional<Ending> fault_;
  Nanoseconds fault_at_ = 0;
  std::optional<Ending> ending_;
  Nanoseconds ending_since_ = 0;
  bool dismissed_ = false;
  std::optional<Ending> complete_;
};

}  // namespace rota
