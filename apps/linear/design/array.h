// apps/linear/design/array.h -- a large array of numbers, in large pages if the operating system has them.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace rota::linear {

// Large pages make the first touch of hundreds of megabytes, and scattered writes to them, several times as fast.
inline constexpr std::size_t kLargePage = std::size_t{1} << 21;  // bytes

// Memory directly from the operating system, and returned directly to it, so that other arrays can use it.  Begins at a
// page, or at a large page if it is at least that large.  Initially zero.
class DesignMemory {
 public:
  DesignMemory() = default;
  // Throws std::bad_alloc.
  explicit DesignMemory(std::size_t bytes) {
    if (bytes == 0) return;
    if (bytes > ~std::size_t{0} / 4) throw std::bad_alloc();
    const bool large = bytes >= kLargePage;
    bytes = large ? (bytes + kLargePage - 1) / kLargePage * kLargePage : bytes;
    const std::size_t slack = large ? kLargePage : 0;
    void* const got =
        ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(got);
    const std::size_t before =
        large ? (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage : 0;
    if (before > 0) ::munmap(begin, before);
    if (slack > before) ::munmap(begin + before + bytes, slack - before);
    at_ = begin + before;
    bytes_ = bytes;
    if (large) (void)::madvise(at_, bytes_, MADV_HUGEPAGE);  // without support, pages stay small
  }
  DesignMemory(DesignMemory&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DesignMemory& operator=(DesignMemory&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DesignMemory() {
    if (at_ != nullptr) ::munmap(at_, bytes_);
  }

  std::byte* data() const { return at_; }

 private:
  std::byte* at_ = nullptr;
  std::size_t bytes_ = 0;
};

template <typename T>
requires std::is_trivially_copyable_v<T>
class DesignArray {
 public:
  DesignArray() = default;
  explicit DesignArray(std::size_t size)
      : memory_(size > ~std::size_t{0} / sizeof(T) ? throw std::bad_alloc() : size * sizeof(T)), size_(size) {}
  DesignArray(DesignArray&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  DesignArray& operator=(DesignArray&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::size_t size() const { return size_; }
  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  DesignMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace rota::linear
