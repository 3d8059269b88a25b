// rota/argument.h -- what a schedule sends with a round to every push and pull: a step, a penalty, the round's purpose.
//
//   round.argument = Argument(Step::change);                 // a number, an enumeration, or a type with fields()
//   if (task.argument.as<Step>() == Step::change) ...
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "rota/bytes.h"
#include "rota/fields.h"

namespace rota {

// One value, kept as the bytes of its fields (rota/fields.h).  Copies share them.
class Argument {
 public:
  Argument() = default;  // empty
  template <typename T>
  requires(!std::same_as<T, Argument>) explicit Argument(const T& value) : bytes_(bytes_of_fields(value)) {}
  // For the host: what bytes() was.
  static Argument of_bytes(Bytes bytes) {
    Argument argument;
    argument.bytes_ = std::move(bytes);
    return argument;
  }

  // Throws std::runtime_error if the value has another size than a T.
  template <typename T>
  T as() const {
    T value{};
    Reader in(bytes_.view());
    Archive list(in);
    list(value);
    if (!in.done())
      throw std::runtime_error("the round's argument is another value than is read: it has " +
                               std::to_string(bytes_.size()) + " bytes");
    return value;
  }
  void encode(Writer& out) const { out.put_all(bytes_.view()); }
  void decode(Reader& in) { bytes_ = Bytes::from(in.get_all<std::byte>()); }
  bool empty() const { return bytes_.empty(); }
  const Bytes& bytes() const { return bytes_; }

  friend bool operator==(const Argument& a, const Argument& b) {
    return std::ranges::equal(a.bytes_.view(), b.bytes_.view());
  }

 private:
  template <typename T>
  static Bytes bytes_of_fields(const T& value) {
    Writer out;
    write_fields(out, value);
    return Bytes::from(out.take());
  }

  Bytes bytes_;
};

}  // namespace rota
