// rota/once_per_version.h -- a value that all shards of a process share, made once for each version of what it is
// derived from: of the rows of a table, for example (TableView::version).
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>

namespace rota {

template <typename T, typename Version = std::uint64_t>
class OncePerVersion {
 public:
  // The first shard that asks for a version calls make(value); those that ask at the same time wait for it.  The value
  // is valid until a shard asks for another version: all shards of a process see the same one.
  template <typename Make>
  T& of(const Version& version, Make make) {
    const std::scoped_lock lock(mutex_);
    if (version_ != version) {
      make(value_);
      version_ = version;
    }
    return value_;
  }

 private:
  std::mutex mutex_;
  T value_{};
  std::optional<Version> version_;
};

}  // namespace rota
