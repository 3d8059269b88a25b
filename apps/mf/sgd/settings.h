// apps/mf/sgd/settings.h -- the options of the app mf.
#pragma once
#include <optional>
#include <string>

#include "apps/mf/settings.h"
#include "rota/error.h"

namespace rota::mf {

// How the learning rate changes (schedule.h).
enum class RateSchedule : std::uint8_t { adagrad, decay };
// Which side's rows are in slices and move; the other side's stay in their shards.
enum class Rotates : std::uint8_t { automatic, items, users };

struct SgdSettings : Settings {
  RateSchedule schedule = RateSchedule::adagrad;
  double rate = 0.1;
  double decay = 0.1;  // NOMAD's beta
  Rotates rotates = Rotates::automatic;
  std::optional<Loss> chosen_loss;
  std::string solver = "auto";

  void options(auto& list) {
    // When one app had all solvers, this chose among them.
    list.choice("solver", solver, {{"auto", "auto"}, {"sgd", "sgd"}, {"als", "als"}, {"ccd", "ccd"}}, "");
    rank_options(list);
    lambda_by_option(list);
    biases_option(list);
    list.number("learning_rate", rate, "", 1e-12, 1e6,
                "The initial learning rate; ratings are in units of their standard deviation.");
    list.choice("rate_schedule", schedule, {{"adagrad", RateSchedule::adagrad}, {"decay", RateSchedule::decay}},
                "How the rate changes: by each row's gradients, or as 1 / (1 + decay epoch^1.5).");
    list.number("decay", decay, "", 0, 1e6, "See --rate_schedule; 0: a constant rate.").needs = {
        "--rate_schedule=decay", [](const Options& options) { return options.text("rate_schedule") == "decay"; }};
    list.choice("loss", chosen_loss,
                {{"auto", std::nullopt}, {"squared", Loss::squared}, {"logistic", Loss::logistic}, {"bpr", Loss::bpr}},
                "What is minimised: squared errors; the log loss of labels, 1 and 0 or -1; or, for implicit ratings, "
                "that of pairs of an item that a user has and one that it has not; auto: squared.");
    list.flag("implicit", implicit,
              "Ratings are how often something was used (1 if a line has none): implied by --loss=bpr.");
    list.choice("rotate", rotates, {{"auto", Rotates::automatic}, {"items", Rotates::items}, {"users", Rotates::users}},
                "Whose factors move from shard to shard, while the others stay; auto: those of the side with fewer "
                "rows, or, if that would be less than 32 rows a slice, of the other.");
    form.options(list);
  }
};

// Throws UsageError if the options contradict each other.
inline SgdSettings sgd_settings(const Options& options) {
  auto settings = settings_of<SgdSettings>(options);
  const auto refuse = [](bool wrong, const std::string& why) {
    if (wrong) throw UsageError(why);
  };
  refuse(settings.solver == "als" || settings.solver == "ccd",
         "--solver=" + settings.solver + " is an app of its own: use `rota train " + settings.solver + "`");
  refuse(settings.implicit && !settings.chosen_loss && settings.solver == "auto",
         "--implicit: use `rota train als` for least squares, or here give --loss=bpr for the order of items");
  settings.loss = settings.chosen_loss.value_or(settings.implicit ? Loss::bpr : Loss::squared);
  refuse(settings.implicit && settings.loss != Loss::bpr, "--implicit is for --loss=bpr");
  settings.implicit = settings.loss == Loss::bpr;
  refuse(settings.implicit && settings.rotates == Rotates::users,
         "with --loss=bpr the items move: an item and its rival are in one slice");
  if (settings.implicit) settings.rotates = Rotates::items;
  settings.held_out = options.has("valid");
  return settings;
}

}  // namespace rota::mf
