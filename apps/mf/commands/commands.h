// apps/mf/commands/commands.h -- the commands of the apps mf, als and ccd, which read their models each in its own way.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <span>

#include "apps/mf/commands/trained_model.h"
#include "rota/plugin.h"

namespace rota::mf {

// Writes the model as text files; kReadme in export.cc describes them.  Throws std::system_error if they cannot be
// written.
void write_model(const TrainedModel& model, const std::filesystem::path& folder);

void show(const TrainedModel& model, const Call& call, std::ostream& out);
void predict(const TrainedModel& model, const Call& call, std::ostream& out);
void evaluate(const TrainedModel& model, const Call& call, std::ostream& out);
void recommend(const TrainedModel& model, const Call& call, std::ostream& out);
void similar(const TrainedModel& model, const Call& call, std::ostream& out);
void split(const Call& call, std::ostream& out);

std::span<const Option> show_options();
std::span<const Option> predict_options();
std::span<const Option> evaluate_options();
std::span<const Option> recommend_options();
std::span<const Option> similar_options();
std::span<const Option> split_options();

using ReadModel = TrainedModel (*)(const Model&);

template <ReadModel read>
void export_text(const Model& model, const std::filesystem::path& folder) {
  write_model(read(model), folder);
}

template <ReadModel read, void (*run)(const TrainedModel&, const Call&, std::ostream&)>
void run_on_model(const Call& call, std::ostream& out) {
  run(read(*call.model), call, out);
}

template <ReadModel read>
std::span<const Command> commands() {
  static const Command kCommands[] = {{.name = "show",
                                       .summary = "prints sizes, and items of the strongest factors",
                                       .options = show_options(),
                                       .run = run_on_model<read, show>},
                                      {.name = "predict",
                                       .summary = "prints the predicted rating of every pair of a user and an item",
                                       .options = predict_options(),
                                       .run = run_on_model<read, predict>,
                                       .takes_input = true},
                                      {.name = "evaluate",
                                       .summary = "prints the errors on other ratings, or ranking scores, as JSON",
                                       .options = evaluate_options(),
                                       .run = run_on_model<read, evaluate>,
                                       .takes_input = true},
                                      {.name = "recommend",
                                       .summary = "prints the best items for users, as CSV",
                                       .options = recommend_options(),
                                       .run = run_on_model<read, recommend>},
                                      {.name = "similar",
                                       .summary = "prints the items most similar to an item, as CSV",
                                       .options = similar_options(),
                                       .run = run_on_model<read, similar>},
                                      {.name = "split",
                                       .summary = "writes ratings for training and for validation into a folder",
                                       .options = split_options(),
                                       .run = split,
                                       .needs_model = false,
                                       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::mf
