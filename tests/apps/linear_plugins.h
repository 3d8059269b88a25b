// tests/apps/linear_plugins.h -- the apps sgd and linear in one program: linked_plugin() is that of the job which was
// made last.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "apps/linear_models/trained_model.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/make_job.h"

namespace rota::tests {

// By the options: linear if they name a solver.
const Plugin& chosen_plugin(const Given& options);
inline Job linear_job(const Given& options, const std::vector<std::string>& input,
                      const std::vector<std::string>& valid = {}) {
  return serial_job(chosen_plugin(options), options, input, valid);
}
// The option that has this value.
inline const char* option_of(const std::string& optimizer) {
  return optimizer == "newton" || optimizer == "svrg" || optimizer == "svm" ? "solver" : "optimizer";
}

struct LinearHost : SerialHost {
  explicit LinearHost(const Job& job) : SerialHost(linked_plugin(), job) {}
};

// The sums of an evaluation by the names of their terms.
inline std::map<std::string, double> terms_of(const SerialHost& host) {
  const std::vector<Term> terms = host.app().terms();
  const std::vector<double> sums = host.evaluate();
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < terms.size(); ++i) named[terms[i].name] = sums[i];
  return named;
}

}  // namespace rota::tests
