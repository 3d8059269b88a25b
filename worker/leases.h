// worker/leases.h -- the slices in this worker's hands, and where each goes next.
//
// A slice is here for one of three reasons: it waits for its next task here (`due`), a task is using it, or it waits
// for its destination.  Handovers may come before the slice does; they wait here too.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/job/hosted_app.h"
#include "core/wire/message.h"
#include "rota/bytes.h"
#include "rota/slices.h"

namespace rota {

// A slice as it is here: its rows, or the bytes it came as, until a task needs the rows.
struct HeldSlice {
  std::unique_ptr<Slice> rows;
  Bytes bytes;
  RoundId last = 0;            // the last round that was done with it, as far as this worker is concerned
  std::optional<RoundId> due;  // the round that is to use it here
  bool in_use = false;

  // Makes the rows, unless they are here.  Calls the plugin, and so may take long.
  Status decode(const HostedApp& app, const Cut& cut, SliceId id);
  // Whether its bytes are what it is now: as it came, or as it was encoded to leave.
  bool encoded() const { return rows == nullptr || !bytes.empty(); }
  // Calls the plugin unless it is encoded.
  Result<Bytes> to_bytes(std::string_view plugin, SliceId id) const;
};

class Leases {
 public:
  void begin(SliceId slice, std::unique_ptr<Slice> rows, Bytes bytes) {
    HeldSlice& held = held_[slice];
    held.rows = std::move(rows);
    held.bytes = std::move(bytes);
  }
  // A slice that came from another worker, for a round.  False if it is here already: then there are two holders.
  bool arrive(SliceId slice, RoundId to, Bytes bytes);
  // Where a slice is to go.  False if that was set before.
  bool set_next(const Handover& handover) {
    return next_.emplace(std::pair(handover.slice, handover.after), handover).second;
  }

  bool ready(SliceId slice, RoundId round) const {
    const auto held = held_.find(slice);
    return held != held_.end() && !held->second.in_use && held->second.due == round;
  }
  // Takes a ready slice for its round; valid until release().
  HeldSlice& use(SliceId slice);
  void release(SliceId slice) { held_.at(slice).in_use = false; }

  // Where a slice goes after a round, if that is known yet.
  const Handover* next_of(SliceId slice, RoundId after) const {
    const auto next = next_.find({slice, after});
    return next == next_.end() ? nullptr : &next->second;
  }
  // If a free slice is to move: within the worker (it becomes due here) or out of it.  `here`: whether a shard is
  // hosted by this worker.  A slice that leaves is given as handover and rows, and is no longer held.
  struct Departure {
    Handover handover;
    HeldSlice slice;
  };
  template <typename Here>
  std::optional<Departure> move_on(SliceId slice, Here here);

  bool quiet() const {  // nothing in use and nothing due
    return std::ranges::none_of(held_,
                                [](const auto& held) { return held.second.in_use || held.second.due.has_value(); });
  }
  std::vector<std::pair<SliceId, HeldSlice*>> held() {
    std::vector<std::pair<SliceId, HeldSlice*>> all;
    for (auto& [id, slice] : held_) all.emplace_back(id, &slice);
    return all;
  }
  std::vector<SliceId> held_ids() const {
    std::vector<SliceId> ids;
    for (const auto& [id, slice] : held_) ids.push_back(id);
    return ids;
  }

 private:
  std::map<SliceId, HeldSlice> held_;
  std::map<std::pair<SliceId, RoundId>, Handover> next_;  // by slice and the round after which it goes
};

template <typename Here>
std::optional<Leases::Departure> Leases::move_on(SliceId slice, Here here) {
  const auto held = held_.find(slice);
  if (held == held_.end() || held->second.in_use || held->second.due) return std::nullopt;
  const auto next = next_.find({slice, held->second.last});
  if (next == next_.end()) return std::nullopt;
  const Handover handover = next->second;
  next_.erase(next);
  if (here(handover.shard)) {
    held->second.due = handover.to;
    return std::nullopt;
  }
  Departure departure{handover, std::move(held->second)};
  held_.erase(held);
  return departure;
}

}  // namespace rota
