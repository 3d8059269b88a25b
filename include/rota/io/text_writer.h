// rota/io/text_writer.h -- writes a text file, or throws if it cannot be written completely.
#pragma once
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace rota::io {

// Throws std::system_error, with the path and the system's reason, if it cannot be written: the program exits with 74
// for a disk that is full or faulty, 73 for missing permission.  The file is complete once close() has returned.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& path) : path_(path), out_(path, std::ios::binary) { check(); }

  TextWriter& operator<<(std::string_view text) {
    if (text_.size() + text.size() > kWrittenAtOnce) flush();
    text_ += text;
    return *this;
  }
  TextWriter& operator<<(std::uint64_t number) { return put(number); }
  // The shortest text that reads back as the same number.
  TextWriter& operator<<(double number) { return put(number); }
  TextWriter& operator<<(float number) { return put(number); }
  void close() {
    flush();
    out_.close();
    check();
  }

 private:
  // A model may have some hundred million numbers: inserting each into a stream would take most of the time.
  static constexpr std::size_t kWrittenAtOnce = std::size_t{1} << 18;

  template <typename T>
  TextWriter& put(T number) {
    char text[32];
    return *this << std::string_view(text, std::to_chars(text, text + sizeof text, number).ptr);
  }
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    check();
  }
  void check() const {
    if (out_) return;
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path_.string() + ": cannot be written");
  }
  std::filesystem::path path_;
  std::ofstream out_;
  std::string text_;  // not yet written
};

}  // namespace rota::io
