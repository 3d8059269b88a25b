// rota/once_per_version.h -- a value that all shards of a process share, made once for each version of what it is
// derived from: of the rows of a table, for example (TableView::version).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace rota {

template <typename T, typename Version = std::uint64_t>
class OncePerVersion {
 public:
  // The first shard that asks for a version calls make(value); those that ask at the same time wait for it.  The value
  // is valid until a shard asks for another version: all shards of a process see the same one.
  template <typename Make>
  T& of(const Version& version, Make make) {
    const std::unique_lock lock = locked();
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
    if (const std::unique_lock lock = locked(); version_ != version) {
      begin(value_);
      version_ = version;
      taken_ = 0;
      missing_ = parts;
    }
    for (std::size_t part; (part = taken_++) < parts;) {
      [&]() noexcept { make_part(value_, part); }();
      if (--missing_ == 0) missing_.notify_all();
    }
    look([&] { return missing_ == 0; });
    for (std::size_t left; (left = missing_) > 0;) missing_.wait(left);
    return value_;
  }

 private:
  // What is made mostly takes less time than waking a thread does: so those that wait look for it before they sleep.
  template <typename Ready>
  static void look(Ready ready) {
    constexpr int kLooks = 100;
    for (int i = 0; i < kLooks && !ready(); ++i) std::this_thread::yield();
  }
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::defer_lock);
    look([&] { return lock.try_lock(); });
    if (!lock) lock.lock();
    return lock;
  }

  std::mutex mutex_;
  T value_{};
  std::optional<Version> version_;
  std::atomic<std::size_t> taken_ = 0, missing_ = 0;  // parts: that a shard makes or has made, and that are not made
};

}  // namespace rota
