// rota/schedules/colours.h -- colours for things that interfere, and a schedule whose rounds have the rows of one
// colour.
//
// Source: the chromatic sampler of Gonzalez, Low, Gretton and Guestrin, "Parallel Gibbs sampling: from colored fields
// to thin junction trees", AISTATS 2011.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rota/schedule.h"

namespace rota {

// A colour, 0, 1, ..., for each thing 0 .. things-1, so that no two of a group have the same one: greedily, the first
// that is free.
inline std::vector<std::size_t> greedy_colours(std::size_t things, std::span<const std::vector<std::size_t>> groups) {
  std::vector<std::vector<std::size_t>> groups_of(things);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::size_t thing : groups[g]) groups_of[thing].push_back(g);
  std::vector<std::size_t> colours(things), taken_by(things, things);  // of a colour: the thing that cannot have it
  for (std::size_t thing = 0; thing < things; ++thing) {
    for (const std::size_t g : groups_of[thing])
      for (const std::size_t other : groups[g])
        if (other < thing) taken_by[colours[other]] = thing;
    while (taken_by[colours[thing]] == thing) ++colours[thing];
  }
  return colours;
}

// An epoch has a round for each colour, in turn, with all rows of it.  A round's argument is its colour.
class ColourSchedule final : public Schedule {
 public:
  // Row k of the table has the colour colour_of[k]; none is left out.
  ColourSchedule(TableId table, std::span<const std::size_t> colour_of) : table_(table) {
    for (Key key = 0; key < colour_of.size(); ++key) {
      rows_.resize(std::max(rows_.size(), colour_of[key] + 1));
      rows_[colour_of[key]].push_back(key);
    }
  }

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }  // no choice depends on feedback
  Round next(Random&) override {
    Round round;
    round.table = table_;
    round.shared = rows_[colour_];
    round.argument = Argument(colour_);
    colour_ = (colour_ + 1) % rows_.size();
    round.ends_epoch = colour_ == 0;
    return round;
  }

 private:
  TableId table_;
  std::vector<std::vector<Key>> rows_;  // of each colour
  std::size_t colour_ = 0;              // of the next round
};

}  // namespace rota
