// rota/once_per_version.h -- a value that all shards of a process share, made once for each version of what it is
// derived from: of the rows of a table, for example (TableView::version).
#pragma once
#include <condition_variable>
#include <cstddef>
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

  // The same for a value of parts that are independent of each other: after begin(value), the shards that ask at the
  // same time share the calls make_part(value, part) of all parts below `parts`.  make_part() must not throw.
  template <typename Begin, typename MakePart>
  T& of_parts(const Version& version, std::size_t parts, Begin begin, MakePart make_part) {
    std::unique_lock lock(mutex_);
    if (version_ != version) {
      begin(value_);
      version_ = version;
      taken_ = 0;
      missing_ = parts;
    }
    while (taken_ < parts) {
      const std::size_t part = taken_++;
      lock.unlock();
      [&]() noexcept { make_part(value_, part); }();
      lock.lock();
      if (--missing_ == 0) made_.notify_all();
    }
    made_.wait(lock, [&] { return missing_ == 0; });
    return value_;
  }

 private:
  std::mutex mutex_;
  T value_{};
  std::optional<Version> version_;
  std::size_t taken_ = 0, missing_ = 0;  // parts: that a shard makes or has made, and that are not made yet
  std::condition_variable made_;
};

}  // namespace rota
