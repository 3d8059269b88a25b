// cli/whole_lines.h -- text for people and for other programs: its last line ends, too.
#pragma once
#include <ostream>
#include <streambuf>

namespace rota {

// A stream into another one, which outlives it.
class WholeLines final : public std::ostream {
 public:
  explicit WholeLines(std::ostream& to) : std::ostream(nullptr), buffer_(*to.rdbuf()) { rdbuf(&buffer_); }

  // Ends the last line, if nothing did.  Empty text has none.
  void end() {
    if (buffer_.last() != '\n') put('\n');
    flush();
  }

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(std::streambuf& to) : to_(to) {}
    char last() const { return last_; }

   private:
    int_type overflow(int_type c) override {
      if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
      last_ = traits_type::to_char_type(c);
      return to_.sputc(last_);
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      if (size > 0) last_ = text[size - 1];
      return to_.sputn(text, size);
    }
    int sync() override { return to_.pubsync(); }

    std::streambuf& to_;
    char last_ = '\n';
  };

  Buffer buffer_;
};

}  // namespace rota
