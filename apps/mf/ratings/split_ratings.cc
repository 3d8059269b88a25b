#include "apps/mf/ratings/split_ratings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/numbers.h"
#include "rota/io/vocabulary.h"
#include "rota/seed_mixer.h"

namespace rota::mf {
namespace {

struct Scanned {
  std::vector<std::uint32_t> users;
  std::vector<double> times;  // of all ratings, or none
};

Scanned scan(const std::vector<std::string>& files, const LineFormat& format, SplitBy by, RatingReader::Kind kind) {
  Scanned scanned;
  io::Vocabulary users;
  bool timed = by != SplitBy::random;
  for_each_rating(files, format, kind, [&](const RatingReader& reader, const RatingLine& line) {
    if (users.size() >= io::kMostWords) reader.fail("too many users");
    scanned.users.push_back(by == SplitBy::leave_one_out ? users.number_of(line.user) : 0);
    double time = 0;
    if (timed && io::parse_number(line.time, time))
      scanned.times.push_back(time);
    else if (by == SplitBy::time)
      reader.fail("expected a time in the fourth field, a number, found " + io::quoted(line.time));
    else
      timed = false;
  });
  if (!timed) scanned.times.clear();
  if (scanned.users.empty()) throw DataError(files.empty() ? "the input" : files.front(), 0, "there are no ratings");
  return scanned;
}

std::vector<bool> newest(const std::vector<double>& times, double fraction) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  const auto kept = static_cast<std::size_t>(std::llround(static_cast<double>(times.size()) * (1 - fraction)));
  std::vector<bool> out(times.size());
  for (std::size_t i = kept; i < order.size(); ++i) out[order[i]] = true;
  return out;
}

std::vector<bool> one_of_each(const Scanned& scanned, std::uint64_t seed) {
  struct Chosen {
    std::size_t rating = 0;
    std::uint64_t ratings = 0;
  };
  std::vector<Chosen> chosen;  // by user
  for (std::size_t i = 0; i < scanned.users.size(); ++i) {
    chosen.resize(std::max<std::size_t>(chosen.size(), scanned.users[i] + 1));
    Chosen& one = chosen[scanned.users[i]];
    ++one.ratings;
    // At random: the i-th of a user's ratings replaces the current choice with probability 1 / i.
    const bool replaces = scanned.times.empty() ? random_named({seed, i}).below(one.ratings) == 0
                                                : scanned.times[i] >= scanned.times[one.rating];
    if (one.ratings == 1 || replaces) one.rating = i;
  }
  std::vector<bool> out(scanned.users.size());
  for (const Chosen& one : chosen)
    if (one.ratings >= 2) out[one.rating] = true;
  return out;
}

}  // namespace

std::vector<bool> held_out(const std::vector<std::string>& files, const LineFormat& format, const SplitRule& rule) {
  const Scanned scanned = scan(files, format, rule.by, rule.kind);
  if (rule.by == SplitBy::time) return newest(scanned.times, rule.fraction);
  if (rule.by == SplitBy::leave_one_out) return one_of_each(scanned, rule.seed);
  std::vector<bool> out(scanned.users.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = random_named({rule.seed, i}).uniform() < rule.fraction;
  return out;
}

}  // namespace rota::mf
