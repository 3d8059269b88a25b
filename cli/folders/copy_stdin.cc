#include "cli/folders/copy_stdin.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <span>

namespace rota {

Status copy_stdin(const FileDescriptor& to, const std::filesystem::path& name) {
  const FileDescriptor from(::dup(STDIN_FILENO));
  std::array<std::byte, 65536> block{};
  std::size_t size = 0;
  do {
    ROTA_ASSIGN(const auto read, read_bytes(from, block, "stdin"));
    if (read == 0 && size == 0) return {ExitCode::no_input, "input -: stdin is empty"};
    size = read;
    if (const int error = write_all(to.get(), std::span(block).first(size)); error != 0)
      return cannot_write(name, error);
  } while (size == block.size());
  return {};
}

}  // namespace rota
