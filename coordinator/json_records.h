// coordinator/json_records.h -- records as JSON, as the run's files and the launcher see them.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "coordinator/records.h"

namespace rota {

nlohmann::ordered_json to_json(const EpochRecord& record);
nlohmann::ordered_json to_json(const CommitRecord& record);
// Nothing if a field is missing or of another type.
std::optional<CommitRecord> commit_from_json(const std::string& text);

}  // namespace rota
