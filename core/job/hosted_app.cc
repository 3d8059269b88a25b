#include "core/job/hosted_app.h"

#include <utility>

#include "core/job/plugin_host.h"

namespace rota {

Result<std::shared_ptr<const HostedApp>> host_app(const Plugin& plugin, Job job) {
  std::unique_ptr<App> app;
  ROTA_TRY(call_hook(plugin.name, "app", "", [&] { app = plugin.app(job); }));
  if (app == nullptr) return Status(ExitCode::failed, "plugin " + std::string(plugin.name) + ", app: makes nothing");
  return std::shared_ptr<const HostedApp>(new HostedApp{plugin, std::move(job), std::move(app)});
}

}  // namespace rota
