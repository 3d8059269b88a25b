// core/rounds/zeroed.h -- many numbers, zero at first, whose memory is taken as they are written.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace rota {

// For plain numbers.  A large block of calloc's is not touched before it is written to.
template <typename T>
class Zeroed {
 public:
  Zeroed() = default;
  explicit Zeroed(std::size_t size) : size_(size), numbers_(allocate(size)) {}
  Zeroed(const Zeroed& other) : Zeroed(other.size_) {
    if (size_ > 0) std::memcpy(data(), other.data(), size_ * sizeof(T));
  }
  Zeroed(Zeroed&& other) noexcept : size_(std::exchange(other.size_, 0)), numbers_(std::move(other.numbers_)) {}
  Zeroed& operator=(Zeroed other) noexcept {
    std::swap(size_, other.size_);
    std::swap(numbers_, other.numbers_);
    return *this;
  }
  ~Zeroed() = default;

  std::size_t size() const { return size_; }
  T* data() { return numbers_.get(); }
  const T* data() const { return numbers_.get(); }
  T& operator[](std::size_t i) { return numbers_[i]; }
  const T& operator[](std::size_t i) const { return numbers_[i]; }

 private:
  struct Free {
    void operator()(T* numbers) const { std::free(numbers); }
  };
  using Owner = std::unique_ptr<T[], Free>;
  static Owner allocate(std::size_t size) {
    if (size == 0) return {};
    auto* const numbers = static_cast<T*>(std::calloc(size, sizeof(T)));
    if (numbers == nullptr) throw std::bad_alloc();
    return Owner(numbers);
  }

  std::size_t size_ = 0;
  Owner numbers_;
};

}  // namespace rota
