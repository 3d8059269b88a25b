// apps/mf/sgd/factor_rows.h -- factors of users or of items, in the kernels' layout (kernels.h), and a slice.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "apps/mf/settings.h"
#include "apps/mf/sgd/kernels.h"
#include "rota/numerics/line_vector.h"
#include "rota/random.h"
#include "rota/slices.h"

namespace rota::mf {

// Encoded: the factors, row after row, without their padding; then the tails.
class FactorRows final : public Slice {
 public:
  FactorRows(std::size_t rows, std::uint32_t rank, bool biases)
      : rows_(rows),
        rank_(rank),
        chunks_((rank + kLanes - 1) / kLanes),
        tail_(biases ? 4 : 2),
        factors_(rows * width()),
        tails_(rows * tail_) {}

  // The rank, and zeros up to a multiple of 16.
  static std::size_t width_of(std::uint32_t rank) { return (rank + kLanes - 1) / kLanes * kLanes; }
  std::size_t rows() const { return rows_; }
  std::uint32_t chunks() const { return chunks_; }
  std::size_t width() const { return std::size_t{chunks_} * kLanes; }
  // Without the padding, which is zeros.
  std::span<const float> factors(std::size_t row) const { return {factors_.data() + row * width(), rank_}; }
  // 0 without biases.
  float bias(std::size_t row) const { return tail_ == 4 ? tails_[row * tail_ + 2] : 0; }

  // Starting values, LIBMF's: factors uniform in [0, 1 / sqrt(rank)), sums of 1, biases of 0.  With larger factors and
  // smaller sums squared errors fall sooner, and pairs are learnt later (bench/RESULTS.md).
  void start(Random& random, Loss loss) {
    const bool squared = loss == Loss::squared;
    const auto scale = static_cast<float>(std::sqrt((squared ? 1.44 : 1) / static_cast<double>(rank_)));
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::uint32_t k = 0; k < rank_; ++k) factors_[r * width() + k] = random.uniform_float() * scale;
      float* const tail = tails_.data() + r * tail_;
      std::fill_n(tail, tail_, squared ? 0.7F : 1.0F);
      if (tail_ == 4) tail[2] = 0;
    }
  }
  RowPointers pointers(Penalty penalty, const Penalty* penalties) {
    return {factors_.data(), tails_.data(), penalty, penalties};
  }

  void encode(Writer& out) const override {
    out.reserve(out.view().size() + (rows_ * (rank_ + tail_)) * sizeof(float) + 16);
    out.put_varint(rows_);
    for (std::size_t r = 0; r < rows_; ++r) out.append(factors_.data() + r * width(), rank_ * sizeof(float));
    out.append(tails_.data(), tails_.size() * sizeof(float));
  }
  void decode(Reader& in) override {
    if (in.get_count((rank_ + tail_) * sizeof(float)) != rows_) return in.fail();
    const auto read = [&](float* to, std::size_t count) {
      const auto bytes = in.get_bytes(count * sizeof(float));
      if (in.ok() && !bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    };
    for (std::size_t r = 0; r < rows_ && in.ok(); ++r) read(factors_.data() + r * width(), rank_);
    read(tails_.data(), tails_.size());
  }

 private:
  std::size_t rows_;
  std::uint32_t rank_, chunks_, tail_;
  LineVector<float> factors_;
  std::vector<float> tails_;
};

}  // namespace rota::mf
