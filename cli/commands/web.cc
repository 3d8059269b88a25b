// rota web DIR|PARENT|ADDRESS: shows runs in a browser, while they are active and later.
#include <cstdio>
#include <string>

#include "cli/commands/commands.h"
#include "cli/processes/child.h"
#include "cli/web/run_list.h"
#include "cli/web/web_api.h"
#include "core/base/flags.h"
#include "core/http/http_server.h"
#include "core/job/framework_options.h"

namespace rota {

namespace {

constexpr Nanoseconds kSleep = 3600 * kSecond;

constexpr Option kWebOptions[] = {
    {.name = "host",
     .default_value = "127.0.0.1",
     .meaning = "Address of this machine to listen at.  At any other than a loopback address, the URL that is printed "
                "has a secret without which nothing is shown."},
    {.name = "secret",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "The URL has the secret at a loopback address too, for a machine with other users: they can connect."},
    integer_option("port", "0", "", 0, 65'535, "Port to listen at; 0: any that is free."),
    kKeysOption,
};

Status web(const CommandLine& line) {
  ROTA_ASSIGN(const auto runs, RunList::open(line.positional.front(), line.options.text("keys")));
  // Before there are threads: signals come to this one.
  const Signals signals;
  WebApi api(*runs);
  HttpOptions options;
  options.host = line.options.text("host");
  options.needs_token_on_loopback = line.options.flag("secret");
  options.port = static_cast<std::uint16_t>(line.options.integer("port"));
  ROTA_ASSIGN(const auto server,
              HttpServer::start(options, [&](const HttpRequest& request) { return api.answer(request); }));
  std::printf("%s\n", server->url().c_str());
  if (std::fflush(stdout) != 0) return {ExitCode::disk, "the reader of stdout is gone"};
  for (int number = 0; number == 0 || number == SIGCHLD; number = signals.take()) signals.wait(kSleep);
  api.stop();
  server->stop();
  return {};
}

}  // namespace

Status web_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"web DIR|PARENT|ADDRESS [flags]",
                      "Shows a run, or all runs in a folder, in a browser, at the URL that it prints, until Ctrl-C.\n"
                      "It only reads the folder.  By ADDRESS, the coordinator is asked once a second.",
                      "which run? rota web DIR, or a folder of runs, or a coordinator's address", kWebOptions},
                     web);
}

}  // namespace rota
