#include "core/job/hosted_app.h"

#include <utility>

#include "core/job/plugin_host.h"

namespace rota {

Result<std::shared_ptr<const HostedApp>> host_app(const Plugin& plugin, Job job) {
  const std::shared_ptr<HostedApp> hosted(new HostedApp{plugin, std::move(job), nullptr});
  ROTA_TRY(call_hook(plugin.name, "app", "", [&] { hosted->app = plugin.app(hosted->job); }));
  if (hosted->app == nullptr)
    return Status(ExitCode::failed, "plugin " + std::string(plugin.name) + ", app: makes nothing");
  return std::shared_ptr<const HostedApp>(hosted);
}

}  // namespace rota
