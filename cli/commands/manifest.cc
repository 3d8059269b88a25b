// rota manifest kubernetes APP --input=PATH --out=DIR: what a cluster manager needs to run `rota train APP`.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/launcher/kubernetes_manifest.h"
#include "cli/launcher/network.h"
#include "core/job/framework_options.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"

namespace rota {
namespace {

constexpr std::array kManifestOptions = {
    Option{.name = "image", .meaning = "The container image, whose entry point is `rota`."},
    Option{.name = "claims",
           .meaning = "Persistent volume claims and where pods have them: CLAIM:/FOLDER, with commas between several. "
                      "The one that --out is in is written to, by one pod; the others are read."},
    Option{.name = "name", .meaning = "Name of the objects; if not given, rota-APP."},
    Option{.name = "pods",
           .kind = Option::Kind::flag,
           .default_value = "false",
           .meaning = "A pod for each process: coordinator, --schedulers, --stores, --workers. Otherwise one pod has "
                      "them all."},
    Option{.name = "pod_memory",
           .meaning = "Memory of a pod of workers or stores, requested and at most: 8Gi; if not given, there is no "
                      "limit."},
    Option{.name = "grace_seconds",
           .kind = Option::Kind::integer,
           .default_value = "300",
           .unit = "s",
           .meaning = "How long a pod that is to end may take: the rest of an epoch, and a checkpoint.",
           .least = 1,
           .most = 1e6},
};

// They are options of a run, but say where it runs, which the manifest decides.
constexpr std::string_view kOfLaunchers[] = {"sbatch", "sbatch_args", "hosts",           "ssh",
                                             "slurm",  "remote_rota", "coordinator",     "host",
                                             "bind",   "keys",        "coordinator_only"};

std::vector<Option> own_options() {
  std::vector<Option> all(train_options().begin(), train_options().end());
  all.insert(all.end(), network_options().begin(), network_options().end());
  all.insert(all.end(), kManifestOptions.begin(), kManifestOptions.end());
  return all;
}

bool is_of_manifest(std::string_view name) {
  return std::ranges::any_of(kManifestOptions, [&](const Option& option) { return option.name == name; });
}

std::string object_name(std::string_view app) {
  std::string name = "rota-";
  for (const char c : app) name += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

Status check_manifest(const CommandLine& line) {
  const Options& options = line.options;
  for (const std::string_view name : kOfLaunchers)
    if (line.given.contains(name)) return {ExitCode::usage, "--" + std::string(name) + ": the manifest decides it"};
  if (!options.has("image")) return {ExitCode::usage, "--image is missing: which image has `rota`?"};
  if (options.text("input") == "-") return {ExitCode::usage, "--input=-: pods read files"};
  if (options.flag("pods") && options.integer("spares") > 0)
    return {ExitCode::usage, "--spares: a lost pod is replaced by another one"};
  if (options.has("pod_memory") && !is_memory_amount(options.text("pod_memory")))
    return {ExitCode::usage, "--pod_memory: '" + std::string(options.text("pod_memory")) +
                                 "' is no amount with a unit, such as 8Gi or 500Mi"};
  return {};
}

// A relative path would be one of this machine.
Status check_absolute(const CommandLine& line, const std::vector<Option>& declared) {
  for (const auto& [name, value] : line.given) {
    const auto option = std::ranges::find(declared, name, &Option::name);
    const bool is_path = option != declared.end() && option->kind == Option::Kind::path;
    if ((is_path || name == "input" || name == "valid") && !value.empty() && !value.starts_with('/'))
      return {ExitCode::usage, "--" + name + "=" + value + ": the path in a pod begins with /"};
  }
  return {};
}

Result<KubernetesJob> job_of(const CommandLine& line, const Plugin& plugin) {
  const Options& options = line.options;
  const auto text = [&](const char* name) { return std::string(options.text(name)); };
  KubernetesJob job{.name = options.has("name") ? text("name") : object_name(plugin.name),
                    .app = line.positional.front(),
                    .image = text("image"),
                    .options = {},
                    .log_options = line.log_flags,
                    .input = text("input"),
                    .out = text("out"),
                    .claims = {},
                    .memory = text("pod_memory"),
                    .workers = options.integer("workers"),
                    .threads = options.integer("threads"),
                    .schedulers = options.integer("schedulers"),
                    .stores = options.integer("stores"),
                    .grace_seconds = options.integer("grace_seconds"),
                    .pods = options.flag("pods"),
                    .insecure = options.flag("insecure")};
  if (!is_object_name(job.name))
    return Status(ExitCode::usage, "--name: '" + job.name +
                                       "' is no name for Kubernetes: at most 40 small letters, digits and '-', a "
                                       "letter first");
  ROTA_ASSIGN(job.claims, mounted_claims(options.text("claims")));
  for (const auto& [name, value] : line.given)
    if (name != "out" && name != "continue" && name != "app" && !is_of_manifest(name))
      job.options.push_back("--" + name + "=" + (name == "insecure" ? text("insecure") : value));
  // As many as of `rota train`: processes that a launcher does not start have the usual number.
  if (job.pods && plugin.slices_per_shard != kUsualSlices && !line.given.contains("slices_per_shard"))
    job.options.push_back("--slices_per_shard=" + std::to_string(plugin.slices_per_shard));
  // Another pod is there later than another process: it is scheduled, its image is pulled.
  if (job.pods)
    for (const auto& [name, value] : {std::pair{"rejoin_seconds", "300"}, {"start_timeout_seconds", "600"}})
      if (!line.given.contains(name)) job.options.push_back("--" + std::string(name) + "=" + value);
  return job;
}

}  // namespace

Status manifest_command(int argc, const char* const* argv) {
  const std::string_view kind = argc < 2 ? "" : argv[1];
  if (kind != "kubernetes" && !kind.starts_with("--help") && kind != "-h" && kind != "-help")
    return {ExitCode::usage, "for which cluster manager? rota manifest kubernetes APP --input=PATH --out=DIR [flags]"};
  const int kind_words = kind == "kubernetes" ? 1 : 0;
  const std::vector<Option> own = own_options();
  ROTA_ASSIGN(auto parsed, parse_with_plugin(argc - kind_words, argv + kind_words, own, AppFrom::positional));
  const CommandLine& line = parsed.line;
  if (line.wish == CommandLine::Wish::help)
    return print_help({"rota manifest kubernetes APP --input=PATH --out=DIR [flags]",
                       "Writes a manifest for `kubectl apply`, which trains a model.  The other flags are those of "
                       "`rota train APP`.\nPaths are those in the pods.",
                       {{"", listed(kManifestOptions)}}},
                      line),
           Status();
  ROTA_TRY(check_manifest(line));
  ROTA_TRY(check_options(line.options, *parsed.plugin));
  std::vector<Option> declared = options_of_job(*parsed.plugin);
  declared.insert(declared.end(), own.begin(), own.end());
  ROTA_TRY(check_absolute(line, declared));
  ROTA_ASSIGN(const KubernetesJob job, job_of(line, *parsed.plugin));
  ROTA_ASSIGN(const std::string text, kubernetes_manifest(job));
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? Status() : Status(ExitCode::disk, "cannot write to stdout");
}

}  // namespace rota
