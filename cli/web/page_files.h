// cli/web/page_files.h -- the files of cli/web/page and uPlot's, which are part of the program
// (cmake/embed_files.cmake).
#pragma once
#include <span>
#include <string_view>

namespace rota {

struct PageFile {
  std::string_view name;
  std::string_view text;
};

std::span<const PageFile> page_files();

}  // namespace rota
