// apps/mf/sgd/settings.h -- the options of the app mf.
#pragma once
#include "apps/mf/settings.h"
#include "rota/error.h"

namespace rota::mf {

// Which side's rows are in slices and move; the other side's stay in their shards.
enum class Rotates : std::uint8_t { automatic, items, users };

struct SgdSettings : Settings {
  double rate = 0.1;
  Rotates rotates = Rotates::automatic;

  void options(auto& list) {
    rank_options(list);
    lambda_by_option(list);
    biases_option(list);
    list.number("learning_rate", rate, "", 1e-12, 1e6,
                "The initial learning rate; ratings are in units of their standard deviation.");
    list.choice("loss", loss, {{"squared", Loss::squared}, {"logistic", Loss::logistic}, {"bpr", Loss::bpr}},
                "What is minimised: squared errors; the log loss of labels, 1 and 0 or -1; or, for implicit ratings "
                "(how often something was used, 1 if a line has none), that of pairs of an item that a user has and "
                "one that it has not.");
    list.choice("rotate", rotates, {{"auto", Rotates::automatic}, {"items", Rotates::items}, {"users", Rotates::users}},
                "Whose factors move from shard to shard, while the others stay; auto: those of the side with fewer "
                "rows, or, if that would be less than 32 rows a slice, of the other.");
    form.options(list);
  }
};

// Throws UsageError if the options contradict each other.
inline SgdSettings sgd_settings(const Options& options) {
  auto settings = settings_of<SgdSettings>(options);
  settings.implicit = settings.loss == Loss::bpr;
  if (settings.implicit && settings.rotates == Rotates::users)
    throw UsageError("with --loss=bpr the items move: an item and its rival are in one slice");
  if (settings.implicit) settings.rotates = Rotates::items;
  settings.held_out = options.has("valid");
  return settings;
}

}  // namespace rota::mf
