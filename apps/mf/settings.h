// apps/mf/settings.h -- the options of the factorisation app.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/plugin.h"

namespace rota::mf {

// How the learning rate changes (sgd/schedule.h).
enum class RateSchedule : std::uint8_t { adagrad, decay };
// Which side's rows are in slices and move; the other side's stay in their shards.
enum class Rotates : std::uint8_t { automatic, items, users };

enum class Solver : std::uint8_t { sgd, als, ccd };
// What sgd minimises: squared errors of ratings, log losses of labels, or those of pairs of an item that was used and
// one that was not (Bayesian personalised ranking).  The other solvers have squared errors only.
enum class Loss : std::uint8_t { squared, logistic, bpr };

struct Settings {
  Solver solver = Solver::sgd;
  std::uint32_t rank = 32;
  double penalty = 0.05;         // lambda, for biases
  bool default_penalty = false;  // it was not given (penalty_scale)
  bool by_rating = true;         // the penalty of a row counts for each of its ratings, or once
  RateSchedule schedule = RateSchedule::adagrad;
  double rate = 0.1;
  double decay = 0.1;  // NOMAD's beta
  bool biases = false;
  bool nonnegative = false;
  bool implicit = false;  // ratings are how often something was used
  Loss loss = Loss::squared;
  double alpha = 40;       // for implicit ratings: the confidence is 1 + alpha r
  bool conjugate = false;  // als solves rows by conjugate gradients
  std::uint32_t cg_steps = 3;
  bool round_robin = false;  // ccd proceeds by rows, and not by factors
  std::uint32_t inner = 3;   // how often ccd updates users and items in a rank
  Rotates rotates = Rotates::automatic;
  bool held_out = false;  // there are held-out ratings (--valid)
  LineFormat format;

  // For the lines of its ratings.
  RatingReader::Kind kind() const {
    return implicit                 ? RatingReader::Kind::counts
           : loss == Loss::logistic ? RatingReader::Kind::labels
                                    : RatingReader::Kind::ratings;
  }
};

std::string_view name_of(Loss loss);
std::span<const Option> options();
// The options for reading lines of ratings or pairs; commands have them, too.
std::span<const Option> format_options();
std::vector<Option> with_format(std::span<const Option> others);

// For ratings of this mean and deviation: the prediction before factors and biases.  The mean with --biases; without
// them 0, or the mean for ratings far from 0, which floats and a few factors could not explain well.
double base_of(const Settings& settings, double mean, double deviation);
// The factor of lambda for factors: if lambda was not given, and ratings are in an unusual unit, their deviation, so
// that the default means the same.  Else 1.
double penalty_scale(const Settings& settings, double deviation);
// The unit in which factors are learned: sgd has the deviation, the others the nearest power of 256, so that no digit
// changes.  1 if ratings have no unit: for labels, and implicit ones.
double unit_of(const Settings& settings, double deviation);

Settings settings_of(const Options& options);
LineFormat format_of(const Options& options);
// Throws UsageError if the options contradict each other.
void check(const Options& options);
std::span<const FrameworkNeeds> framework_needs();

}  // namespace rota::mf
