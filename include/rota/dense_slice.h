// rota/dense_slice.h -- the most common slice: rows of equal width, one after another.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "rota/slices.h"

namespace rota {

// T is float, double or an integer.  New rows are zeros.
template <PlainNumber T>
class DenseSlice final : public Slice {
 public:
  DenseSlice(std::size_t rows, std::size_t width) : width_(width), numbers_(rows * width) {}

  std::size_t rows() const { return width_ == 0 ? 0 : numbers_.size() / width_; }
  std::span<T> row(std::size_t i) { return std::span(numbers_).subspan(i * width_, width_); }
  std::span<const T> row(std::size_t i) const { return std::span(numbers_).subspan(i * width_, width_); }
  std::span<const T> numbers() const { return numbers_; }

  void encode(Writer& out) const override { out.put_all(std::span<const T>(numbers_)); }
  void decode(Reader& in) override {
    auto numbers = in.template get_all<T>();
    if (numbers.size() != numbers_.size()) return in.fail();
    numbers_ = std::move(numbers);
  }

 private:
  std::size_t width_;
  std::vector<T> numbers_;
};

}  // namespace rota
