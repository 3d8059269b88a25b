// cli/web/fresh_model.h -- the model of a run that is not done, as tables: that of its newest checkpoint.
#pragma once
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include "cli/web/seen_run.h"
#include "core/base/clock.h"
#include "core/base/status.h"

namespace rota {

// Any thread.
class FreshModel {
 public:
  explicit FreshModel(std::filesystem::path rota = "/proc/self/exe") : rota_(std::move(rota)) {}

  // As model_tables(), by `rota export` of another process with the lowest priority, into a folder that is removed
  // again; nothing in the run's folder changes.  At most one at a time and one in ten seconds: then the same answer is
  // given once more, or ExitCode::temporary for another run.  Else the status of the export.
  Result<Json> of(const std::filesystem::path& run, const std::string& app);

  // What `rota similar` says of an item, as a table {"name", "columns", "rows"}, in the same way; ExitCode::temporary
  // while another process reads a model, or within a second.
  Result<Json> similar(const std::filesystem::path& run, const std::string& app, const std::string& item);

 private:
  const std::filesystem::path rota_;
  std::mutex mutex_;
  std::filesystem::path newest_of_;
  Nanoseconds newest_at_ = 0, similar_at_ = 0;
  Result<Json> newest_ = Json();
};

}  // namespace rota
