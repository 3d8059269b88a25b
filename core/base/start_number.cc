#include "core/base/start_number.h"

#include <sys/random.h>

#include "core/base/check.h"

namespace rota {

std::uint64_t new_start_number() {
  for (;;) {
    std::uint64_t number = 0;
    // So few bytes always come at once.
    ROTA_CHECK(::getrandom(&number, sizeof number, 0) == sizeof number);
    number >>= 1;
    if (number != 0) return number;
  }
}

}  // namespace rota
