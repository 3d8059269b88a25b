#include "core/job/hosted_app.h"

#include <utility>

#include "core/job/plugin_host.h"

namespace rota {

namespace fs = std::filesystem;

Result<std::shared_ptr<const HostedApp>> host_app(const Plugin& plugin, Job job) {
  const std::shared_ptr<HostedApp> hosted(new HostedApp{plugin, std::move(job), nullptr});
  if (const auto& input = hosted->job.input; input.size() == 1 && fs::path(input.front()).filename() == kPackedIndex) {
    auto packed = open_packed(fs::path(input.front()).parent_path(), plugin, hosted->job);
    if (!packed.ok()) return std::move(packed).status();
    hosted->job.packed = hosted->packed = std::move(packed).value();
  }
  ROTA_TRY(call_hook(plugin.name, "app", "", [&] { hosted->app = plugin.app(hosted->job); }));
  if (hosted->app == nullptr)
    return Status(ExitCode::failed, "plugin " + std::string(plugin.name) + ", app: makes nothing");
  return std::shared_ptr<const HostedApp>(hosted);
}

}  // namespace rota
