// tests/source_dir.h -- where the repository lies, for tests that read its samples.  In a file of its own, so that the
// objects of all others are the same in every clone, and a compiler cache finds them.
#pragma once
#include <string>

namespace rota::tests {

std::string source_dir();

}  // namespace rota::tests
