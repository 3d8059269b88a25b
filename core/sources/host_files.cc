#include "core/sources/host_files.h"

#include <utility>

#include "core/sources/duckdb_table.h"
#include "core/sources/remote_objects.h"

namespace rota {

namespace {

class Sources final : public HostFiles {
 public:
  std::shared_ptr<const RemoteFile> open(const std::string& url) override {
    auto file = open_remote(url);
    if (!file.ok()) raise(file.status());
    return *std::move(file);
  }

  std::unique_ptr<HostStream> open_table(const std::string& path, TableText form) override {
    std::shared_ptr<const RemoteFile> remote = is_remote(path) ? open(path) : nullptr;
    auto table = open_parquet(path, remote != nullptr ? remote->local_copy() : path, form);
    if (!table.ok()) raise(table.status());
    return *std::move(table);
  }
};

}  // namespace

HostFiles& host_files() {
  static auto* const all = new Sources;
  return *all;
}

}  // namespace rota
