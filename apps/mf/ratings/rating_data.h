// apps/mf/ratings/rating_data.h -- all ratings of a job, with users and items by number.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/bytes.h"
#include "rota/io/vocabulary.h"

namespace rota::mf {

// The two sides: also the numbers of their tables.
inline constexpr std::uint32_t kUserSide = 0, kItemSide = 1;

// Saved in the order of their numbers.
class Names : public io::Vocabulary {
 public:
  void encode(Writer& out) const;
  void decode(Reader& in);
};

struct Rating {
  std::array<std::uint32_t, 2> of;  // the user, the item
  float value;                      // less RatingStatistics::origin
};

// Of all ratings.
struct RatingStatistics {
  double mean = 0;
  double deviation = 1;  // standard deviation; of equal ratings the mean's size, or 1
  // 0, or the first rating if all are within a thousandth of it: stored as floats, such ratings would lose their
  // differences.
  double origin = 0;

  void fields(auto& list) {
    list(mean, deviation, origin);
    list.check(std::isfinite(mean) && std::isfinite(deviation) && deviation > 0 && std::isfinite(origin));
  }
};

// Users and items are numbered from 0 in the order of their first occurrence in the files, so that a number depends on
// the files alone.  A pair that is rated twice has two ratings.
struct RatingData {
  std::array<Names, 2> names;
  std::vector<Rating> ratings;  // in the order of the files
  RatingStatistics statistics;
};
// Throws NoInput, or DataError, with file and line, or because there are no ratings.
RatingData read_ratings(const std::vector<std::string>& files, const io::EntryForm& form, RatingKind kind);

// Ratings of an unknown user or item are scored with the mean as prediction.
struct UnknownRatings {
  std::uint64_t count = 0;
  double sum = 0;                                  // of the ratings
  double squared_errors = 0, absolute_errors = 0;  // of the mean

  void fields(auto& list) {
    list(count, sum, squared_errors, absolute_errors);
    list.check(std::isfinite(sum + squared_errors + absolute_errors) && squared_errors >= 0 && absolute_errors >= 0);
  }
};
struct HeldOutRatings {
  std::vector<Rating> known;  // of users and items in the training data
  UnknownRatings unknown;
};
// Throws as read_ratings, but accepts no ratings if there are no files.
HeldOutRatings read_held_out(const std::vector<std::string>& files, const io::EntryForm& form, RatingKind kind,
                             const RatingData& trained);

}  // namespace rota::mf
