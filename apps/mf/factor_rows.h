// apps/mf/factor_rows.h -- factors of users or of items, in the kernel's layout (kernels.h), and a slice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/kernels.h"
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

  static std::size_t bytes_of_row(std::uint32_t rank) {
    return sizeof(float) * ((rank + kLanes - 1) / kLanes * kLanes);
  }
  std::size_t rows() const { return rows_; }
  std::uint32_t chunks() const { return chunks_; }
  std::size_t width() const { return std::size_t{chunks_} * kLanes; }
  // Without the padding, which is zeros.
  std::span<const float> factors(std::size_t row) const { return {factors_.data() + row * width(), rank_}; }
  // 0 without biases.
  float bias(std::size_t row) const { return tail_ == 4 ? tails_[row * tail_ + 2] : 0; }

  // Starting values: factors uniform in [0, 1 / sqrt(rank)), sums of 1, biases of 0.
  void start(Random& random);
  RowPointers pointers(Penalty penalty, const Penalty* penalties) {
    return {factors_.data(), tails_.data(), penalty, penalties};
  }

  void encode(Writer& out) const override;
  void decode(Reader& in) override;

 private:
  std::size_t rows_;
  std::uint32_t rank_, chunks_, tail_;
  LineVector<float> factors_;
  std::vector<float> tails_;
};

}  // namespace rota::mf
