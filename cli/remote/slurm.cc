#include "cli/remote/slurm.h"

#include <algorithm>
#include <boost/process.hpp>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <system_error>

#include "cli/processes/child.h"

namespace rota {
namespace {

namespace process = boost::process;

constexpr std::size_t kCountsMost = 1000;

std::string variable(const std::string& name) {
  const char* const text = std::getenv(name.c_str());
  return text == nullptr ? "" : text;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value > 0 ? std::optional(value) : std::nullopt;
}

// What scontrol prints, by lines.
Result<std::vector<std::string>> scontrol(const std::vector<std::string>& words) {
  ROTA_ASSIGN(const auto program, program_named("scontrol").in("--slurm"));
  process::ipstream out;
  std::error_code error;
  process::child child(process::exe = program.string(), process::args = words,
                       process::std_in<process::null, process::std_out> out, process::std_err > process::null, error);
  if (error) return Status(ExitCode::failed, "cannot start scontrol: " + error.message());
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  child.wait(error);
  if (error || child.exit_code() != 0)
    return Status(ExitCode::temporary, "`scontrol " + words.front() + "` ended with exit code " +
                                           std::to_string(child.exit_code()) + ": is the controller of Slurm up?");
  return lines;
}

// The addresses by which the controller reaches the nodes: their names need not resolve.
Result<std::map<std::string, std::string>> addresses(const std::string& nodes) {
  static const std::regex kForm(R"(NodeName=(\S+) .*NodeAddr=(\S+))");
  ROTA_ASSIGN(const auto lines, scontrol({"show", "node", "-o", nodes}));
  std::map<std::string, std::string> found;
  for (const std::string& line : lines)
    if (std::smatch parts; std::regex_search(line, parts, kForm)) found[parts.str(1)] = parts.str(2);
  return found;
}

// `suffix`: of the variables of one group of a heterogeneous job, or "".
Status add_group(const std::string& suffix, int group, Allocation& allocation) {
  static const std::regex kNodes(R"([\w.,\[\]-]+)");
  const std::string nodes = variable("SLURM_JOB_NODELIST" + suffix);
  if (!std::regex_match(nodes, kNodes))
    return {ExitCode::usage, "--slurm: SLURM_JOB_NODELIST" + suffix + " is no list of nodes: '" + nodes + "'"};
  ROTA_ASSIGN(const auto names, scontrol({"show", "hostnames", nodes}));
  ROTA_ASSIGN(const auto counts, expand_counts(variable("SLURM_TASKS_PER_NODE" + suffix)));
  ROTA_ASSIGN(const auto known, addresses(nodes));
  if (counts.size() < names.size())
    return {ExitCode::usage, "--slurm: SLURM_TASKS_PER_NODE" + suffix + " has fewer entries than the job has nodes"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto address = known.find(names[i]);
    allocation.machines.push_back({.user = "",
                                   .name = names[i],
                                   .slots = counts[i],
                                   .address = address == known.end() ? "" : address->second,
                                   .group = group});
  }
  return {};
}

}  // namespace

bool in_allocation() {
  const auto tasks = number(variable("SLURM_STEP_NUM_TASKS"));
  return !variable("SLURM_JOB_ID").empty() && tasks.value_or(1) == 1 && program_named("scontrol").ok() &&
         program_named("srun").ok();
}

Result<Allocation> slurm_allocation() {
  if (variable("SLURM_JOB_ID").empty())
    return Status(ExitCode::usage, "--slurm: this is no job of Slurm; use it within sbatch or salloc, or --sbatch");
  if (number(variable("SLURM_STEP_NUM_TASKS")).value_or(1) > 1)
    return Status(ExitCode::usage, "--slurm: srun has started " + variable("SLURM_STEP_NUM_TASKS") +
                                       " of these; run one in the batch script, without srun, or use `rota role`");
  Allocation allocation;
  const auto groups = number(variable("SLURM_HET_SIZE"));
  if (!groups) ROTA_TRY(add_group("", -1, allocation));
  for (int g = 0; g < groups.value_or(0); ++g) ROTA_TRY(add_group("_HET_GROUP_" + std::to_string(g), g, allocation));
  const std::string threads = variable("SLURM_CPUS_PER_TASK");
  allocation.threads = number(threads.empty() ? variable("SLURM_CPUS_PER_TASK_HET_GROUP_0") : threads).value_or(1);
  return allocation;
}

std::vector<std::string> srun_arguments(const Machine& machine, std::int64_t threads, std::string_view rota,
                                        const std::vector<std::string>& words) {
  // Memory is not shared by steps, so the agent's asks for none of its own.
  const std::size_t cpus = machine.slots * static_cast<std::size_t>(threads);
  std::vector<std::string> all{"--overlap",
                               "--mem=0",
                               "--nodes=1",
                               "--ntasks=1",
                               "--cpus-per-task=" + std::to_string(cpus),
                               "--quiet",
                               "--nodelist=" + machine.name};
  if (machine.group >= 0) all.push_back("--het-group=" + std::to_string(machine.group));
  all.insert(all.end(), {"--", std::string(rota)});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Result<std::vector<std::size_t>> expand_counts(std::string_view text) {
  static const std::regex kForm(R"((\d{1,6})(?:\(x(\d{1,6})\))?)");
  std::vector<std::size_t> counts;
  std::istringstream parts{std::string(text)};
  for (std::string part; std::getline(parts, part, ',');) {
    std::smatch found;
    const bool fits = std::regex_match(part, found, kForm);
    const std::size_t repeats = fits && found[2].matched ? std::stoul(found.str(2)) : 1;
    if (!fits || repeats + counts.size() > kCountsMost)
      return Status(ExitCode::usage, "--slurm: SLURM_TASKS_PER_NODE is no list of counts: '" + std::string(text) + "'");
    counts.insert(counts.end(), repeats, std::max<std::size_t>(1, std::stoul(found.str(1))));
  }
  return counts;
}

}  // namespace rota
