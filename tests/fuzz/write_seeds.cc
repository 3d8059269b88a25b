// tests/fuzz/write_seeds.cc -- writes the seeds as files: DIR/message/0, DIR/message/1, ..., DIR/commit/0, ...
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/seeds.h"

namespace {

bool write(const std::filesystem::path& folder, const std::vector<rota::fuzz::Input>& seeds) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream out(folder / std::to_string(i), std::ios::binary);
    out.write(reinterpret_cast<const char*>(seeds[i].data()), static_cast<std::streamsize>(seeds[i].size()));
    if (!out) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const auto& seeds : rota::fuzz::kSeeds)
    if (!write(folder / seeds.name, seeds.make())) return 1;
  return 0;
}
