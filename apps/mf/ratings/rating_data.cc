#include "apps/mf/ratings/rating_data.h"

#include "rota/error.h"

namespace rota::mf {
namespace {

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

}  // namespace

void Names::encode(Writer& out) const {
  out.put_varint(size());
  for (std::size_t i = 0; i < size(); ++i) out.put_text(word(i));
}

void Names::decode(Reader& in) {
  *this = {};
  const std::size_t count = in.get_count(1);
  for (std::size_t i = 0; i < count && in.ok(); ++i)
    if (number_of(in.get_text()) != i) in.fail();  // a repeated name
}

RatingData read_ratings(const std::vector<std::string>& files, const io::EntryForm& form, RatingKind kind) {
  constexpr double kNear = 1.0 / 1024;
  RatingData data;
  auto& [users, items] = data.names;
  double origin = 0;
  for_each_rating(files, form, kind, [&](const io::EntryReader& reader, const RatingLine& line) {
    if (users.size() >= io::kMostWords || items.size() >= io::kMostWords)
      reader.fail("there may be at most " + std::to_string(io::kMostWords) + " users, and as many items");
    if (data.ratings.empty() && kind == RatingKind::ratings) origin = line.value;
    if (std::abs(line.value - origin) > kNear * std::abs(origin) && origin != 0) {
      for (Rating& one : data.ratings) one.value = static_cast<float>(origin + static_cast<double>(one.value));
      origin = 0;
    }
    data.ratings.push_back(
        {{users.number_of(line.user), items.number_of(line.item)}, static_cast<float>(line.value - origin)});
  });
  if (data.ratings.empty()) throw DataError(files.empty() ? "the input" : files.front(), 0, "there are no ratings");
  data.statistics = statistics_of(data.ratings, origin);
  return data;
}

HeldOutRatings read_held_out(const std::vector<std::string>& files, const io::EntryForm& form, RatingKind kind,
                             const RatingData& trained) {
  HeldOutRatings out;
  for_each_rating(files, form, kind, [&](const io::EntryReader&, const RatingLine& line) {
    const auto user = trained.names[kUserSide].find(line.user), item = trained.names[kItemSide].find(line.item);
    if (user && item) {
      out.known.push_back({{*user, *item}, static_cast<float>(line.value - trained.statistics.origin)});
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

}  // namespace rota::mf
