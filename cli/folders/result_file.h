// cli/folders/result_file.h -- the file that --output names, and text for people and for other programs.
#pragma once
#include <filesystem>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/status.h"
#include "rota/utf8.h"

namespace rota {

// Where a chain of links leads, be it to something or not; `file` itself if it is no link.
std::filesystem::path follow_links(const std::filesystem::path& file);

// ExitCode::cannot_write if something is in the file, or where its links lead, whose beginning `is_own` denies: what
// this command did not make may be the only one of its kind.  `what`: "report".
Status check_replaced(const std::filesystem::path& file, bool (*is_own)(std::string_view), const std::string& what);

// Calls `write` with the file's stream.  The file appears under its name once that has succeeded; a link keeps its
// place, and its target is replaced.  What is there and is no file, a pipe or a device, is written into.
// ExitCode::cannot_write, with the reason, if it cannot be made.
Status write_result(const std::filesystem::path& file, const std::function<Status(std::ostream&)>& write);

// A stream into another one, which outlives it: its last line ends, too.
class WholeLines final : public std::ostream {
 public:
  // `for_people`: control characters of the text are shown.
  explicit WholeLines(std::ostream& to, bool for_people = false)
      : std::ostream(nullptr), buffer_(*to.rdbuf(), for_people) {
    rdbuf(&buffer_);
  }

  // Ends the last line, if nothing did.  Empty text has none.
  void end() {
    if (buffer_.last() != '\n') put('\n');
    flush();
  }

 private:
  class Buffer final : public std::streambuf {
   public:
    Buffer(std::streambuf& to, bool for_people) : to_(to), for_people_(for_people) {}
    char last() const { return last_; }

   private:
    int_type overflow(int_type c) override {
      if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
      const char text = traits_type::to_char_type(c);
      return xsputn(&text, 1) == 1 ? c : traits_type::eof();
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      if (size > 0) last_ = text[size - 1];
      if (!for_people_) return to_.sputn(text, size);
      // Whole lines: a character may come in several parts.
      line_.append(text, static_cast<std::size_t>(size));
      const std::size_t end = line_.rfind('\n') + 1;
      const std::string rest = line_.substr(end), whole = without_controls(std::exchange(line_, rest).substr(0, end));
      const auto bytes = static_cast<std::streamsize>(whole.size());
      return to_.sputn(whole.data(), bytes) == bytes ? size : 0;
    }
    int sync() override { return to_.pubsync(); }

    std::streambuf& to_;
    bool for_people_;
    std::string line_;  // that has no end yet
    char last_ = '\n';
  };

  Buffer buffer_;
};

}  // namespace rota
