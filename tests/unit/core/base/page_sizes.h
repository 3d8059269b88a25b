// Which memory is to lie in large pages.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rota {

// Whether the memory at this address is to lie in large pages.
inline bool wants_large_pages(const void* at) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> begin >> dash >> end && dash == '-')
      here = begin <= reinterpret_cast<std::uintptr_t>(at) && reinterpret_cast<std::uintptr_t>(at) < end;
    else if (here && line.starts_with("VmFlags:"))
      return line.find(" hg") != std::string::npos;
  }
  return false;
}

inline bool system_has_large_pages() {
  return std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
}

}  // namespace rota
