// tests/apps/sgd_terms.h -- the sums of an evaluation by the names of their terms.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rota/testing/serial_host.h"

namespace rota::tests {

inline std::map<std::string, double> terms_of(const SerialHost& host) {
  const std::vector<Term> terms = host.app().terms();
  const std::vector<double> sums = host.evaluate();
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < terms.size(); ++i) named[terms[i].name] = sums[i];
  return named;
}

}  // namespace rota::tests
