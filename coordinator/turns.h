// coordinator/turns.h -- makes one sequence of rounds of the schedulers' own: one round from each in turn.
//
// A scheduler that has ended its epoch is passed over until all have; so the sequence depends on what the schedulers
// chose and not on which was fast.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/wire/message.h"

namespace rota {

class Turns {
 public:
  explicit Turns(std::uint32_t schedulers) : lanes_(schedulers) {}

  // Where every scheduler's own count of rounds begins.
  void begin(RoundId first);
  // A scheduler's next rounds.  False if they do not follow those it sent before.
  bool add(std::uint32_t scheduler, const Rounds& rounds);

  struct Turn {
    Round round;  // ends_epoch and ends_job: as seen over all schedulers
    std::uint32_t scheduler = 0;
    RoundId own = 0;                   // its number by the scheduler's count
    std::optional<Feedback> feedback;  // what the scheduler wants to receive of its commit
  };
  // The next round, if the scheduler whose turn it is has sent it.
  std::optional<Turn> take();

 private:
  struct Waiting {
    Round round;
    std::optional<Feedback> feedback;
  };
  struct Lane {
    std::deque<Waiting> waiting;
    RoundId next_in = 1, next_out = 1;
    bool ended = false;  // its epoch
  };

  std::vector<Lane> lanes_;
  std::size_t at_ = 0;
  std::optional<bool> ends_job_;  // as those say that have ended the epoch
};

}  // namespace rota
