#include "apps/mf/ratings/rating_data.h"

#include <cmath>
#include <limits>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/error.h"

namespace rota::mf {

RatingData read_ratings(const std::vector<std::string>& files, const LineFormat& format, RatingReader::Kind kind) {
  constexpr double kNear = 1.0 / 1024;
  RatingData data;
  double origin = 0;
  for_each_rating(files, format, kind, [&](const RatingReader& reader, const RatingLine& line) {
    if (data.users.size() >= io::kMostWords || data.items.size() >= io::kMostWords)
      reader.fail("there may be at most " + std::to_string(io::kMostWords) + " users, and as many items");
    if (data.ratings.empty() && kind == RatingReader::Kind::ratings) origin = line.value;
    if (std::abs(line.value - origin) > kNear * std::abs(origin) && origin != 0) {
      for (Rating& one : data.ratings) one.value = static_cast<float>(origin + static_cast<double>(one.value));
      origin = 0;
    }
    data.ratings.push_back(
        {data.users.number_of(line.user), data.items.number_of(line.item), static_cast<float>(line.value - origin)});
  });
  if (data.ratings.empty()) throw DataError(files.empty() ? "the input" : files.front(), 0, "there are no ratings");
  data.statistics = statistics_of(data.ratings, origin);
  return data;
}

HeldOutRatings read_held_out(const std::vector<std::string>& files, const LineFormat& format, const RatingData& trained,
                             RatingReader::Kind kind) {
  HeldOutRatings out;
  for_each_rating(files, format, kind, [&](const RatingReader&, const RatingLine& line) {
    const auto user = trained.users.find(line.user), item = trained.items.find(line.item);
    if (user && item) {
      out.known.push_back({*user, *item, static_cast<float>(line.value - trained.statistics.origin)});
      return;
    }
    const double error = line.value - trained.statistics.mean;
    ++out.unknown.count;
    out.unknown.sum += line.value;
    out.unknown.squared_errors += error * error;
    out.unknown.absolute_errors += std::abs(error);
  });
  if (!files.empty() && out.known.empty() && out.unknown.count == 0)
    throw DataError(files.front(), 0, "there are no held-out ratings");
  return out;
}

RatingCounts counts_of(const RatingData& data, const UnknownRatings& unknown) {
  RatingCounts counts{{}, data.statistics, data.ratings.size(), unknown};
  counts.of[kUserSide].resize(data.users.size());
  counts.of[kItemSide].resize(data.items.size());
  for (const Rating& one : data.ratings) {
    ++counts.of[kUserSide][one.user];
    ++counts.of[kItemSide][one.item];
  }
  return counts;
}

void report(const RatingCounts& counts, Facts& facts) {
  facts.largest("users", static_cast<double>(counts.of[kUserSide].size()));
  facts.largest("items", static_cast<double>(counts.of[kItemSide].size()));
  facts.largest("ratings", static_cast<double>(counts.ratings));
  facts.largest("mean", counts.statistics.mean);
  facts.largest("deviation", counts.statistics.deviation);
}

RatingStatistics statistics_of(const std::vector<Rating>& ratings, double origin) {
  const auto count = static_cast<double>(ratings.size());
  double sum = 0, squares = 0;
  for (const Rating& one : ratings) sum += static_cast<double>(one.value);
  const double mean = sum / count;
  for (const Rating& one : ratings) {
    const double off = static_cast<double>(one.value) - mean;
    squares += off * off;
  }
  const double deviation = std::sqrt(squares / count), size = std::abs(origin + mean);
  return {origin + mean, deviation > 1e-12 * std::abs(mean) && deviation > 0 ? deviation : size > 0 ? size : 1, origin};
}

void write_names(const io::Vocabulary& names, Writer& out) {
  out.put_varint(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) out.put_text(names.word(i));
}

io::Vocabulary read_names(Reader& in) {
  io::Vocabulary names;
  const std::size_t count = in.get_count(1);
  for (std::size_t i = 0; i < count && in.ok(); ++i)
    if (names.number_of(in.get_text()) != i) in.fail();  // a repeated name
  return names;
}

}  // namespace rota::mf
