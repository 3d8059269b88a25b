// cli/web/web_api.h -- what `rota web` answers: the page's files, and the API that the page uses.
//
//   GET /api/runs                                 {"runs": [...]}, as SeenRun::brief()
//   GET /api/run?name=N[&points=2000]             all of a run, as SeenRun::whole()
//   GET /api/follow?name=N&metrics=M&events=E     server-sent events after these lines: metrics, event, state, reset
//   GET /api/logs?name=N                          {"logs": [{"name", "bytes"}]}
//   GET /api/log?name=N&file=worker-0.log         the newest 256 KiB, or &tail=BYTES
//   GET /api/model?name=N                         {"tables": [...]}: the beginnings of the model's text tables
//   GET /api/model?name=N&fresh=1                 the same of the newest checkpoint, by fresh_model.h; 503: later
//   GET /api/similar?name=N&item=I                a table of the items most similar to one, by `rota similar`; 503:
//   later
#pragma once
#include <string>

#include "cli/web/fresh_model.h"
#include "cli/web/live_run.h"
#include "cli/web/run_list.h"
#include "core/http/http_server.h"

namespace rota {

// Any thread.
class WebApi {
 public:
  explicit WebApi(RunList& runs) : runs_(runs) {}

  HttpAnswer answer(const HttpRequest& request);
  // Ends the event streams.
  void stop() { watchers_.stop(); }

 private:
  HttpAnswer run(const HttpRequest& request);
  HttpAnswer follow(const HttpRequest& request);
  HttpAnswer model(const HttpRequest& request, const std::filesystem::path& folder);
  HttpAnswer similar(const HttpRequest& request, const std::filesystem::path& folder);

  RunList& runs_;
  Watchers watchers_;
  FreshModel fresh_;
};

}  // namespace rota
