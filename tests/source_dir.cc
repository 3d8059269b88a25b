#include "tests/source_dir.h"

namespace rota::tests {

std::string source_dir() {
  return ROTA_SOURCE_DIR;
}

}  // namespace rota::tests
