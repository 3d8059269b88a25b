// apps/mf/settings.h -- the options of the factorisation app.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/plugin.h"

namespace rota::mf {

// How the rate of learning changes (sgd/schedule.h).
enum class RateSchedule : std::uint8_t { adagrad, constant, decay, bold_driver };
// Whose rows are in slices and move; those of the others stay in their shards.
enum class Rotates : std::uint8_t { automatic, items, users };

enum class Solver : std::uint8_t { sgd, als, ccd };
// What sgd makes small: squared errors of ratings, log losses of labels, or those of pairs of an item that was used and
// one that was not (Bayesian personalised ranking).  The others know squared errors only.
enum class Loss : std::uint8_t { squared, logistic, bpr };

struct Settings {
  Solver solver = Solver::sgd;
  std::uint32_t rank = 32;
  double penalty = 0.05;         // lambda, of biases
  bool default_penalty = false;  // it was not given (penalty_scale)
  bool by_rating = true;         // the penalty of a row counts for each of its ratings, or once
  RateSchedule schedule = RateSchedule::adagrad;
  double rate = 0.1;
  double decay = 0.1;  // NOMAD's beta
  bool biases = false;
  bool nonnegative = false;
  bool implicit = false;  // ratings are how often something was used
  Loss loss = Loss::squared;
  double alpha = 40;       // of implicit ratings: the confidence is 1 + alpha r
  bool conjugate = false;  // als solves rows by conjugate gradients
  std::uint32_t cg_steps = 3;
  bool round_robin = false;  // ccd goes by rows, and not by factors
  std::uint32_t inner = 3;   // how often ccd goes over users and items in a rank
  Rotates rotates = Rotates::automatic;
  bool held_out = false;  // there are held-out ratings (--valid)
  LineFormat format;

  // Of the lines of its ratings.
  RatingReader::Kind kind() const {
    return implicit                 ? RatingReader::Kind::counts
           : loss == Loss::logistic ? RatingReader::Kind::labels
                                    : RatingReader::Kind::ratings;
  }
};

std::string_view name_of(Loss loss);
std::span<const Option> options();
// Those that say how a line of ratings or of pairs is to be read, and others with them.
std::span<const Option> format_options();
std::vector<Option> with_format(std::span<const Option> others);

// Of ratings of this mean and deviation: what a model predicts before factors and biases.  The mean with --biases;
// without them 0, or of ratings far from 0, which floats and a few factors could not explain well, the mean too.
double base_of(const Settings& settings, double mean, double deviation);
// What lambda is multiplied with for factors: of a lambda that was not given, and ratings in another unit than the
// usual ones, their deviation, so that it means the same.  Else 1.
double penalty_scale(const Settings& settings, double deviation);
// In which unit factors are learned; sgd has the deviation, the others the power of 256 that is nearest, so that it
// changes no digit.  1 if ratings have no unit: of labels, and implicit ones.
double unit_of(const Settings& settings, double deviation);

Settings settings_of(const Options& options);
LineFormat format_of(const Options& options);
// Throws UsageError for what is not there.
void check(const Options& options);
std::span<const FrameworkNeeds> framework_needs();

}  // namespace rota::mf
