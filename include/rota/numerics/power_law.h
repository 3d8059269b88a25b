// rota/numerics/power_law.h -- the degrees of a sparse allreduce's layers, computed from the frequencies of keys:
// proposition 4.1 and section 4 of Zhao and Canny, "Kylix", ICPP 2014 (in Zhao's thesis section 7.4).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace rota {

// Of n keys, the number of occurrences of the r-th most frequent one in the data of one shard is Poisson with the rate
// lambda r^-alpha.
class PowerLaw {
 public:
  // `density` is the share of the keys that one shard has, above 0 and below 1.
  PowerLaw(std::uint64_t keys, double alpha, double density) : keys_(keys), alpha_(alpha) {
    double least = 0, most = 1;
    while (share(most) < density && most < kMost) most *= 2;
    for (int i = 0; i < 200; ++i) {
      const double middle = (least + most) / 2;
      (share(middle) < density ? least : most) = middle;
    }
    lambda_ = most;
  }

  // The share of the keys that this number of shards have together.
  double density(double shards) const { return share(shards * lambda_); }

 private:
  // (1/n) sum over r of 1 - exp(-lambda r^-alpha); beyond the first thousand ranks in steps of a hundredth.
  double share(double lambda) const {
    constexpr double kOneByOne = 1000, kStep = 1.01;
    const auto n = static_cast<double>(keys_);
    double sum = 0;
    for (double r = 1; r <= n;) {
      const double next = r < kOneByOne ? r + 1 : std::min(std::ceil(r * kStep), n + 1);
      const double middle = (r + next - 1) / 2;
      sum += (next - r) * -std::expm1(-lambda * std::pow(middle, -alpha_));
      r = next;
    }
    return sum / n;
  }

  static constexpr double kMost = 1e300;
  std::uint64_t keys_;
  double alpha_, lambda_ = 0;
};

// The degrees for this number of shards: in each layer the largest divisor of the rest for which a message is at least
// `least_bytes` long; if there is none, the smallest, because long messages are impossible then.  Before a layer, the
// shards of a group of the previous layers have each an equal part of the keys that the group has together.
inline std::vector<std::uint32_t> planned_degrees(std::uint32_t shards, std::uint64_t keys, const PowerLaw& law,
                                                  double bytes_per_key, double least_bytes) {
  std::vector<std::uint32_t> degrees;
  for (std::uint32_t done = 1, left = shards; left > 1;) {
    const double bytes = static_cast<double>(keys) * law.density(done) / done * bytes_per_key;
    std::uint32_t degree = 0;
    for (std::uint32_t d = left; d >= 2; --d) {
      if (left % d != 0) continue;
      degree = d;
      if (bytes / d >= least_bytes) break;
    }
    degrees.push_back(degree);
    done *= degree;
    left /= degree;
  }
  return degrees;
}

}  // namespace rota
