#include "core/job/hosted_app.h"

#include <utility>

#include "core/job/plugin_host.h"
#include "core/job/tables.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

// A shard keeps at least the bounds of its part of each slice.  Checked before anything is read.
Status check_visits(const Plugin& plugin, const Job& job) {
  constexpr double kBytesOfVisit = 16;
  const double bytes = kBytesOfVisit * job.shards * job.slices / workers_of(job);
  if (!plugin.sliced || job.memory == 0 || bytes <= static_cast<double>(job.memory)) return {};
  const std::string what = "--shards=" + std::to_string(job.shards) + ": what each shard keeps of each of the " +
                           std::to_string(job.slices) + " slices";
  return {ExitCode::usage, beyond_memory(job, what, bytes)};
}

}  // namespace

Result<std::shared_ptr<const HostedApp>> host_app(const Plugin& plugin, JobConfig job) {
  ROTA_TRY(check_visits(plugin, job));
  const std::shared_ptr<HostedApp> hosted(new HostedApp{plugin, std::move(job), nullptr});
  if (const auto& input = hosted->job.input; input.size() == 1 && fs::path(input.front()).filename() == kPackedIndex) {
    ROTA_ASSIGN(auto packed, open_packed(fs::path(input.front()).parent_path(), plugin, hosted->job));
    hosted->job.packed = hosted->packed = std::move(packed);
  }
  ROTA_TRY(call_hook(plugin.name, "app", "", [&] { hosted->app = plugin.app(hosted->job); }));
  if (hosted->app == nullptr)
    return Status(ExitCode::failed, "plugin " + std::string(plugin.name) + ": app() returned null");
  return std::shared_ptr<const HostedApp>(hosted);
}

}  // namespace rota
