#include "coordinator/turns.h"

#include <algorithm>

#include "core/rounds/rules.h"

namespace rota {

void Turns::begin(RoundId first) {
  for (Lane& lane : lanes_) lane.next_in = lane.next_out = first;
}

bool Turns::add(std::uint32_t scheduler, const Rounds& rounds) {
  if (scheduler >= lanes_.size()) return false;
  Lane& lane = lanes_[scheduler];
  if (rounds.first != lane.next_in) return false;
  lane.next_in += rounds.rounds.size();
  for (const Round& round : rounds.rounds) lane.waiting.push_back({round, rounds.feedback});
  return true;
}

std::optional<Turns::Turn> Turns::take() {
  while (lanes_[at_].ended) at_ = (at_ + 1) % lanes_.size();
  Lane& lane = lanes_[at_];
  if (lane.waiting.empty()) return std::nullopt;
  Turn turn{std::move(lane.waiting.front().round), static_cast<std::uint32_t>(at_), lane.next_out++,
            lane.waiting.front().feedback};
  lane.waiting.pop_front();
  at_ = (at_ + 1) % lanes_.size();
  if (!turn.round.ends_epoch) return turn;
  lane.ended = true;
  merge_answers(ends_job_, turn.round.ends_job);
  turn.round.ends_epoch = std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& one) { return one.ended; });
  turn.round.ends_job = turn.round.ends_epoch && *ends_job_;
  if (turn.round.ends_epoch) {
    for (Lane& one : lanes_) one.ended = false;
    ends_job_.reset();
    at_ = 0;
  }
  return turn;
}

}  // namespace rota
