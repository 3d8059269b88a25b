// coordinator/json_records.h -- records as JSON, as the run's files and the launcher see them.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "coordinator/records.h"

namespace rota {

nlohmann::ordered_json to_json(const EpochRecord& record);
nlohmann::ordered_json to_json(const CommitRecord& record);
// A commit record as its file has it: with a checksum over its fields, since a digit that changed on the disk would
// make a resumed run go on with other random numbers.
std::string commit_to_text(const CommitRecord& record);
// Nothing if a field is missing or of another type, or the checksum is wrong.
std::optional<CommitRecord> commit_from_json(const std::string& text);

}  // namespace rota
