// apps/mf/ratings/split_ratings.h -- the choice of the ratings of a file that are held out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/mf/ratings/rating_reader.h"

namespace rota::mf {

enum class SplitBy : std::uint8_t {
  random,         // each by the seed and its number
  time,           // the newest, by the fourth field, a number; of equal times the last
  leave_one_out,  // one of every user with at least two: the newest if all lines have times, or else one at random
};

struct SplitRule {
  SplitBy by = SplitBy::random;
  double fraction = 0.1;  // that is held out, by random and by time
  std::uint64_t seed = 1;
  RatingReader::Kind kind = RatingReader::Kind::ratings;  // of the lines
};

// One flag for each rating of the files, in their order: whether it is held out.  Throws NoInput or DataError.
std::vector<bool> held_out(const std::vector<std::string>& files, const LineFormat& format, const SplitRule& rule);

}  // namespace rota::mf
