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
  float value;  // from RatingStatistics::origin on
};

// Of all ratings.
struct RatingStatistics {
  double mean = 0;
  double deviation = 1;  // standard deviation; of equal ratings the mean's size, or 1
  // 0, or the first rating if none is further from it than a thousandth of it: floats of such ratings would lose what
  // they differ in.
  double origin = 0;
};

// Users and items are numbered from 0 in the order in which the files name them first, so that a number depends on the
// files alone.  A pair that is rated twice has two ratings.
struct RatingData {
  io::Vocabulary users, items;
  std::vector<Rating> ratings;  // in the order of the files
  RatingStatistics statistics;
};

// Throws NoInput, or DataError, for one with file and line, or because there are no ratings.
RatingData read_ratings(const std::vector<std::string>& files, const LineFormat& format,
                        RatingReader::Kind kind = RatingReader::Kind::ratings);

// Ratings of a user or an item that training does not know are scored with the mean as prediction.
struct UnknownRatings {
  std::uint64_t count = 0;
  double sum = 0;                                  // of the ratings
  double squared_errors = 0, absolute_errors = 0;  // of the mean
};
struct HeldOutRatings {
  std::vector<Rating> known;  // of users and items that training knows
  UnknownRatings unknown;
};
// Throws as read_ratings, but none is fine without files.
HeldOutRatings read_held_out(const std::vector<std::string>& files, const LineFormat& format, const RatingData& trained,
                             RatingReader::Kind kind = RatingReader::Kind::ratings);

RatingStatistics statistics_of(const std::vector<Rating>& ratings, double origin);

// What is saved once a job: the names in the order of their numbers.
void write_names(const io::Vocabulary& names, Writer& out);
io::Vocabulary read_names(Reader& in);

}  // namespace rota::mf
