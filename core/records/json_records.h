// core/records/json_records.h -- records as JSON, as the run's files and the launcher see them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/status.h"
#include "core/job/job_config.h"
#include "core/records/records.h"

namespace rota {

// Of commit records, and of the manifests of models, which have their fields but the record of the epoch.
inline constexpr unsigned kCommitFormat = 3;

// Of items and of rounds: what is more has no digits of its own in a double, and no job reaches it.
inline constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 53;

nlohmann::ordered_json to_json(const EpochRecord& record);
nlohmann::ordered_json to_json(const CommitRecord& record);
// Of the job's model, with the names of the commit's files.
nlohmann::ordered_json manifest_of(const CommitRecord& record, const JobConfig& config);
// Of its "facts".  Throws the library's exceptions on a wrong type.
std::vector<Fact> facts_from_json(const nlohmann::json& json);
// A commit record as its file has it, sealed: a digit that changed on the disk would make a resumed run continue
// with other random numbers.
std::string commit_to_text(const CommitRecord& record);
// ExitCode::disk if anything in it was changed, wrong_version if its format is another.
Result<CommitRecord> commit_from_text(const std::string& text);

}  // namespace rota
