// apps/mf/ratings/rating_data.h -- all ratings of a job, with users and items by number.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/bytes.h"
#include "rota/io/vocabulary.h"

namespace rota::mf {

struct Rating {
  std::uint32_t user, item;
  float value;  // less RatingStatistics::origin
};

// Of all ratings.
struct RatingStatistics {
  double mean = 0;
  double deviation = 1;  // standard deviation; of equal ratings the mean's size, or 1
  // 0, or the first rating if all are within a thousandth of it: stored as floats, such ratings would lose their
  // differences.
  double origin = 0;
};

// Users and items are numbered from 0 in the order of their first occurrence in the files, so that a number depends on
// the files alone.  A pair that is rated twice has two ratings.
struct RatingData {
  io::Vocabulary users, items;
  std::vector<Rating> ratings;  // in the order of the files
  RatingStatistics statistics;
};

// Throws NoInput, or DataError, with file and line, or because there are no ratings.
RatingData read_ratings(const std::vector<std::string>& files, const LineFormat& format,
                        RatingReader::Kind kind = RatingReader::Kind::ratings);

// Ratings of an unknown user or item are scored with the mean as prediction.
struct UnknownRatings {
  std::uint64_t count = 0;
  double sum = 0;                                  // of the ratings
  double squared_errors = 0, absolute_errors = 0;  // of the mean
};
struct HeldOutRatings {
  std::vector<Rating> known;  // of users and items in the training data
  UnknownRatings unknown;
};
// Throws as read_ratings, but accepts no ratings if there are no files.
HeldOutRatings read_held_out(const std::vector<std::string>& files, const LineFormat& format, const RatingData& trained,
                             RatingReader::Kind kind = RatingReader::Kind::ratings);

RatingStatistics statistics_of(const std::vector<Rating>& ratings, double origin);

// Saved once a job: the names in the order of their numbers.
void write_names(const io::Vocabulary& names, Writer& out);
io::Vocabulary read_names(Reader& in);

}  // namespace rota::mf
