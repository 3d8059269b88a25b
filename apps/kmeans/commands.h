// apps/kmeans/commands.h -- what can be done with a model: show, predict, evaluate, text files.
#pragma once
#include <filesystem>
#include <span>

#include "apps/kmeans/centres.h"
#include "rota/io/row_files.h"
#include "rota/plugin.h"

namespace rota::kmeans {

inline constexpr TableId kSums = 0;  // see centres.h

// Squares of larger values, and sums of them, might overflow; and if all values are below the other limit, the squares
// of differences lose their digits or underflow.
inline constexpr io::ValueRange kValues = {.least = 1e-140, .most = 1e140};

// Throws DataError if a part of the model is missing or damaged.
Centres read_centres(const Model& model);
std::span<const Command> commands();
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::kmeans
