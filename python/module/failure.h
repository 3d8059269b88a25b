// python/module/failure.h -- a Status as an exception: what Python sees of it is in module.cc.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/status.h"

namespace rota::python {

class Failure : public std::runtime_error {
 public:
  explicit Failure(const Status& status) : std::runtime_error(status.what()), code_(status.code()) {}
  Failure(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

inline void must(const Status& status) {
  if (!status.ok()) throw Failure(status);
}
template <typename T>
T must(Result<T> result) {
  if (!result.ok()) throw Failure(result.status());
  return std::move(result).value();
}

}  // namespace rota::python
