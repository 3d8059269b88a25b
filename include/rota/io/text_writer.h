// rota/io/text_writer.h -- a text file that is written whole, or told to be missing.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rota/io/number_text.h"

namespace rota::io {

// Throws std::runtime_error, with the path, if it cannot be written; it is complete once close() has returned.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& path) : path_(path), out_(path, std::ios::binary) { check(); }

  TextWriter& operator<<(std::string_view text) {
    out_ << text;
    return *this;
  }
  TextWriter& operator<<(std::uint64_t number) { return *this << std::string_view(std::to_string(number)); }
  // The shortest text that reads back as the same number.
  TextWriter& operator<<(double number) { return *this << std::string_view(exact_text(number)); }
  void close() {
    out_.close();
    check();
  }

 private:
  void check() const {
    if (!out_) throw std::runtime_error(path_.string() + ": cannot be written");
  }
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace rota::io
