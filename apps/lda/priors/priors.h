// apps/lda/priors/priors.h -- the parameters of the two Dirichlet priors.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace rota::lda {

// The range of both parameters.
inline constexpr double kLeastPrior = 1e-9, kMostPrior = 1e6;
inline bool is_prior(double value) {
  return value >= kLeastPrior && value <= kMostPrior;
}

struct Priors {
  std::vector<double> alphas;  // of each topic in a document
  double beta = 0;             // of each word in a topic

  std::uint32_t topics() const { return static_cast<std::uint32_t>(alphas.size()); }
  bool symmetric() const {
    return std::all_of(alphas.begin(), alphas.end(), [&](double alpha) { return alpha == alphas.front(); });
  }
  double alpha_sum() const {
    if (symmetric()) return alphas.front() * static_cast<double>(alphas.size());
    double sum = 0;
    for (const double alpha : alphas) sum += alpha;
    return sum;
  }

  // Of counts that are all multiplied by this.
  Priors times(double factor) const {
    Priors more = *this;
    for (double& alpha : more.alphas) alpha *= factor;
    more.beta *= factor;
    return more;
  }

  void fields(auto& list) {
    list(alphas, beta);
    list.check(std::all_of(alphas.begin(), alphas.end(), is_prior) && is_prior(beta));
  }
  friend bool operator==(const Priors&, const Priors&) = default;
};

}  // namespace rota::lda
