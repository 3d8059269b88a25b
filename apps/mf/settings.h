// apps/mf/settings.h -- the options that the apps mf, als and ccd have in common, and what follows from them.
#pragma once
#include <cmath>
#include <optional>
#include <string_view>

#include "rota/io/entry_reader.h"
#include "rota/plugin.h"
#include "rota/settings.h"

namespace rota::mf {

// What is minimised: squared errors of ratings, log losses of labels, or those of pairs of an item that was used and
// one that was not (Bayesian personalised ranking).  als and ccd have squared errors only.
enum class Loss : std::uint8_t { squared, logistic, bpr };

enum class RatingKind {
  ratings,
  labels,  // 1, and 0 or -1, both of which are read as 0
  counts,  // how often: 1 if it is missing; entries of 0 are skipped
  pairs,   // the rating may be missing, and is not read
};

struct Settings {
  std::uint32_t rank = 32;
  std::optional<double> lambda;
  bool by_rating = true;  // the penalty of a row counts for each of its ratings, or once
  bool biases = false;
  bool nonnegative = false;
  Loss loss = Loss::squared;
  bool implicit = false;  // ratings are how often something was used
  double alpha = 40;      // for implicit ratings of als: the confidence is 1 + alpha r
  bool held_out = false;  // there are held-out ratings (--valid)
  io::EntryForm form;

  void rank_options(auto& list) {
    list.number("rank", rank, "factors", 1, 65536, "Number of factors of a user or an item.");
    list.number("lambda", lambda, "", 0, 1e15,
                "Weight of the penalty on squared factors: LIBMF's lambda_p2 and lambda_q2; with --lambda_by=row the "
                "regularization of `implicit`, and in scikit-learn's NMF items times alpha_W. If not given: 5 for als "
                "with --implicit, else 0.05, for factors times the ratings' deviation if that is not from 1/16 to 16.");
    list.flag("nonnegative", nonnegative, "No factor is below 0.");
  }
  void lambda_by_option(auto& list) {
    list.choice("lambda_by", by_rating, {{"rating", true}, {"row", false}},
                "How often the penalty of a user or an item counts: for each of its ratings (weighted by counts), or "
                "once.");
  }
  void biases_option(auto& list) {
    list.flag("biases", biases, "Ratings are explained first by their mean and a bias of each user and item.");
  }

  // Of the ratings' lines.
  RatingKind kind() const {
    return implicit ? RatingKind::counts : loss == Loss::logistic ? RatingKind::labels : RatingKind::ratings;
  }
  // Lambda, for biases.
  double penalty() const { return lambda.value_or(implicit && loss == Loss::squared ? 5 : 0.05); }
};

inline std::string_view name_of(Loss loss) {
  return loss == Loss::squared ? "squared" : loss == Loss::logistic ? "logistic" : "bpr";
}

// For ratings of this mean and deviation: the prediction before factors and biases.  The mean with --biases; without
// them 0, or the mean for ratings far from 0, which floats and a few factors could not explain well.
inline double base_of(const Settings& settings, double mean, double deviation) {
  constexpr double kFar = 16;
  if (settings.kind() != RatingKind::ratings) return 0;
  if (settings.biases) return mean;
  if (std::abs(mean) <= kFar * deviation) return 0;
  // Without factors below 0, ratings below the base cannot be reached: few are.
  return settings.nonnegative ? mean - 4 * deviation : mean;
}

// The power of 256 that is nearest to the deviation: numbers that are divided by it change no digit.  1 if ratings have
// no unit.  als and ccd learn factors in it.
inline double unit_of(const Settings& settings, double deviation) {
  if (settings.kind() != RatingKind::ratings) return 1;
  int exponent = 0;
  (void)std::frexp(deviation, &exponent);
  return std::ldexp(1, 8 * static_cast<int>(std::floor((exponent + 3) / 8.0)));
}

// The factor of lambda for factors: if lambda was not given, and ratings are in an unusual unit, their deviation, so
// that the default means the same.  Else 1.
inline double penalty_scale(const Settings& settings, double deviation) {
  return !settings.lambda && unit_of(settings, deviation) != 1 ? deviation : 1;
}

}  // namespace rota::mf
