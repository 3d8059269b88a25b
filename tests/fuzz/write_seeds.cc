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
  const bool written =
      write(folder / "message", rota::fuzz::message_seeds()) && write(folder / "commit", rota::fuzz::commit_seeds()) &&
      write(folder / "cut", rota::fuzz::cut_seeds()) && write(folder / "libsvm", rota::fuzz::libsvm_seeds()) &&
      write(folder / "matrix_market", rota::fuzz::matrix_market_seeds()) &&
      write(folder / "number", rota::fuzz::number_seeds()) &&
      write(folder / "manifest", rota::fuzz::manifest_seeds()) &&
      write(folder / "checkpoint", rota::fuzz::checkpoint_seeds()) &&
      write(folder / "flags", rota::fuzz::flags_seeds()) && write(folder / "address", rota::fuzz::address_seeds());
  return written ? 0 : 1;
}
