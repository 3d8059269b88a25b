// core/base/check.h -- for our own bugs, and only those: nothing that came from a peer, a disk, a file, a user or a
// plugin is ever checked with this.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace rota {

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this cannot be: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace rota

// Always on.  One condition each.
#define ROTA_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::rota::check_failed(#condition, __FILE__, __LINE__))
