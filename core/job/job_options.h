// core/job/job_options.h -- the framework's own options: the one table of them, and the job that they describe.
#pragma once
#include <span>
#include <string>

#include "core/base/flags.h"
#include "core/base/status.h"
#include "rota/job.h"
#include "rota/options.h"

namespace rota {

// Of a job: the same in all of its processes, and kept in flags.txt.
std::span<const Option> job_options();
// Of one process: its number, where the coordinator is, and the like.
std::span<const Option> role_options();

// parse_flags for a program that belongs to a job, and what only all options together can show: --input and the path of
// an app are made absolute; what data by shard was made with is taken from it (packed_folder.h); workers, stores,
// shards and partitions must fit each other.
Result<CommandLine> parse_job_flags(int argc, const char* const* argv, const FlagTables& tables);

// The last of these.  ExitCode::usage.
Status check_numbers(const Options& options);

// The job that the options describe, with the input's files looked up (ExitCode::no_input).
Result<Job> make_job(const Options& options);

// The identity of a job: the options that decide the model, one "name=value" a line, sorted.  The same in
// all processes, those without the plugin too: of its options, only the given ones count, as they were given.
std::string job_identity(const CommandLine& line);

}  // namespace rota
