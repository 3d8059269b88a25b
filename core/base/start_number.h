// core/base/start_number.h -- distinguishes every start of a process, without a clock.
#pragma once
#include <cstdint>

namespace rota {

// Random, of 63 bits, never 0.  A clock would not do: it may be set back, or be slower on the machine where a process
// is started again.
std::uint64_t new_start_number();

}  // namespace rota
