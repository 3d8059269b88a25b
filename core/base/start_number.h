// core/base/start_number.h -- distinguishes every start of a process, without a clock.
#pragma once
#include <sys/random.h>

#include <cstdint>

#include "core/base/check.h"

namespace rota {

// Random, of 63 bits, never 0.  A clock would not do: it may be set back, or be slower on the machine where a process
// is started again.
inline std::uint64_t new_start_number() {
  std::uint64_t number = 0;
  // So few bytes always come at once.
  while (number == 0) {
    ROTA_CHECK(::getrandom(&number, sizeof number, 0) == sizeof number);
    number >>= 1;
  }
  return number;
}

}  // namespace rota
