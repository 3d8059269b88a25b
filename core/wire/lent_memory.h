// core/wire/lent_memory.h -- memory of this process that others of its machine read in place: numbers made there pass a
// ring (shared_ring.h) without being copied.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "core/base/files.h"

namespace rota {

// Memory that has a descriptor, for another process.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedMemory();

  // New, of zeros.  Errors: temporary, if there is no memory or descriptor for it.
  static Result<SharedMemory> create(std::size_t bytes);
  // What another process made: of exactly this size, and sealed against shrinking, or reading could end this process.
  static Result<SharedMemory> open(FileDescriptor descriptor, std::size_t bytes);

  std::byte* data() const { return data_; }
  const FileDescriptor& descriptor() const { return descriptor_; }
  void close_descriptor() { descriptor_ = {}; }  // the memory stays
  // Takes the pages of the bytes up to `end` at once, unless they were taken: at their first touches, one by one, that
  // takes twice as long.
  void populate(std::size_t end);
  std::size_t populated() const { return populated_; }  // bytes

 private:
  static Result<SharedMemory> map(FileDescriptor descriptor, std::size_t bytes);
  void swap(SharedMemory& other) noexcept;

  FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0, populated_ = 0;
};

// Address space; memory is taken as it is used, and used again.
inline constexpr std::size_t kLentMemory = std::size_t{128} << 20;
// Less is copied: a ring has room for many, and the nearest caches have them.
inline constexpr std::size_t kLentLeast = std::size_t{128} << 10;

// Any thread may use it.
class LentMemory {
 public:
  // Of this process.  Null before open(), or where there is none to be had.
  static LentMemory* of_process();
  static void open();

  const FileDescriptor& descriptor() const { return memory_.descriptor(); }
  // Null if there is no more.
  void* take(std::size_t bytes);
  void give_back(void* at, std::size_t bytes);
  bool has(const void* at) const { return offset(at) < kLentMemory; }
  std::size_t offset(const void* at) const {
    return reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(memory_.data());
  }

 private:
  explicit LentMemory(SharedMemory memory) : memory_(std::move(memory)) {}

  SharedMemory memory_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_{{0, kLentMemory}};  // bytes by offset; guarded by mutex_
};

template <typename T>
struct Lendable {
  using value_type = T;

  T* allocate(std::size_t count) {
    LentMemory* const lent = LentMemory::of_process();
    void* const got = lent != nullptr && count >= kLentLeast / sizeof(T) ? lent->take(count * sizeof(T)) : nullptr;
    return static_cast<T*>(got != nullptr ? got : ::operator new(count * sizeof(T)));
  }
  void deallocate(T* at, std::size_t count) {
    LentMemory* const lent = LentMemory::of_process();
    if (lent != nullptr && lent->has(at))
      lent->give_back(at, count * sizeof(T));
    else
      ::operator delete(at);
  }
  friend bool operator==(const Lendable&, const Lendable&) { return true; }
};

// Numbers that will be sent.
template <typename T>
using LendableVector = std::vector<T, Lendable<T>>;

}  // namespace rota
