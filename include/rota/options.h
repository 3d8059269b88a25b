// rota/options.h -- a plugin's options: each is declared once, and parsed, checked and shown by --help from that.
#pragma once
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rota {

class Options;

// The condition under which an option has an effect.  If it is given without one, a warning names it when the job
// starts, and its default is used.
struct Needs {
  std::string_view text = {};             // for --help and the warning, after "for": "--solver=sgd"
  bool (*met)(const Options&) = nullptr;  // by the job's options; null: always
};

struct Option {
  enum class Kind {
    integer,
    real,
    text,
    flag,    // true or false
    choice,  // one of the words in `unit`, separated by '|'
    path,    // a file; made absolute, so that a job can be replayed from any folder
  };

  std::string_view name;  // as on the command line, without the dashes
  Kind kind = Kind::text;
  std::string_view default_value = {};  // "": the option has no value unless the user gives one
  std::string_view unit = {};           // "topics", "s", ... or "" for a plain number; for a choice: "a|b|c"
  std::string_view meaning = {};        // one sentence for --help
  double least = -std::numeric_limits<double>::infinity();  // bounds of a number, both allowed
  double most = std::numeric_limits<double>::infinity();
  Needs needs = {};
  bool about_input = false;  // how the input is read: --help lists these apart
};

// A job's settings by name, already checked against their declarations.
class Options {
 public:
  Options() = default;
  explicit Options(std::map<std::string, std::string, std::less<>> values) : values_(std::move(values)) {}

  // Whether the option has a value at all: one of the user's, or a default.
  bool has(std::string_view name) const { return !text(name).empty(); }
  // The value of an option that was never declared is "".
  std::string_view text(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string_view{} : std::string_view(found->second);
  }
  std::int64_t integer(std::string_view name) const { return number<std::int64_t>(name); }
  double real(std::string_view name) const { return number<double>(name); }
  bool flag(std::string_view name) const { return text(name) == "true"; }

  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  template <typename T>
  T number(std::string_view name) const {
    if (!values_.contains(name)) throw std::invalid_argument("there is no option '" + std::string(name) + "'");
    const std::string_view from = text(name);
    T value{};
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (error != std::errc{} || end != from.data() + from.size())
      throw std::invalid_argument("option " + std::string(name) + " has no number: '" + std::string(from) + "'");
    return value;
  }

  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace rota
