// apps/lda/priors/count_histogram.h -- how often each count occurs.  The sum of the histograms of parts is exactly the
// histogram of the whole.
//
// Encoded: the number of different counts: varint; then for each, ascending: the count less the previous one, and its
// frequency: varints, both at least 1.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "rota/bytes.h"

namespace rota::lda {

class CountHistogram {
 public:
  // Zeros are not counted.
  void add(std::uint32_t count, std::uint64_t times = 1) {
    if (count == 0 || times == 0) return;
    if (count >= kSmall) {
      large_[count] += times;
      return;
    }
    if (small_.size() <= count) small_.resize(count + 1);
    small_[count] += times;
  }
  void add(const CountHistogram& other) {
    other.for_each([&](std::uint32_t count, std::uint64_t times) { add(count, times); });
  }
  bool empty() const { return small_.empty() && large_.empty(); }

  // Calls f(count, times), counts ascending.
  template <typename F>
  void for_each(F f) const {
    for (std::uint32_t count = 1; count < small_.size(); ++count)
      if (small_[count] != 0) f(count, small_[count]);
    for (const auto& [count, times] : large_) f(count, times);
  }

  void encode(Writer& out) const;
  // Calls in.fail() if it is invalid.
  void decode(Reader& in);

  friend bool operator==(const CountHistogram&, const CountHistogram&) = default;

 private:
  static constexpr std::uint32_t kSmall = 256;
  std::vector<std::uint64_t> small_;              // times of the counts below kSmall; the last is not 0
  std::map<std::uint32_t, std::uint64_t> large_;  // of the others
};

}  // namespace rota::lda
