// rota/fields.h -- one list of a type's fields, for both writing and reading.
//
//   struct Moments {
//     double sum = 0;
//     std::vector<double> squares;
//     void fields(auto& list) { list(sum, squares); }
//   };
//
//   write_fields(task.note, moments);                          // a push's note, a pull's reply
//   const auto moments = read_fields<Moments>(commit.reply);
//
// and for the state that a hook's object saves: class MyPush : public SavesFields<Push, MyPush>.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rota/bytes.h"

namespace rota {

// Fields are numbers, enumerations, texts, vectors, arrays, optionals and pairs of these, and types with fields of
// their own or with an encoding of their own (encode() and decode(), as those of a Slice).  Numbers are written as they
// are in memory, counts as varints.
class FieldWriter {
 public:
  explicit FieldWriter(Writer& out) : out_(out) {}

  template <typename... T>
  void operator()(const T&... fields) {
    (put(fields), ...);
  }
  // A condition that the fields must meet once they are read.
  void check(bool) {}

 private:
  template <PlainNumber T>
  void put(T number) {
    out_.put(number);
  }
  void put(const std::string& text) { out_.put_text(text); }
  template <typename T>
  void put(const std::vector<T>& values) {
    if constexpr (PlainNumber<T>) {
      out_.put_all(std::span<const T>(values));
    } else {
      out_.put_varint(values.size());
      for (const T& value : values) put(value);
    }
  }
  template <typename T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    out_.put(static_cast<std::uint8_t>(value.has_value()));
    if (value) put(*value);
  }
  template <typename A, typename B>
  void put(const std::pair<A, B>& value) {
    put(value.first);
    put(value.second);
  }
  template <typename T>
  requires std::is_class_v<T>
  void put(const T& value) {
    if constexpr (requires { value.encode(out_); })
      value.encode(out_);
    else
      const_cast<T&>(value).fields(*this);  // one list for both directions; this one only reads
  }

  Writer& out_;
};

// Never reads past the end of the bytes; Reader::ok() is false afterwards if they were not valid.
class FieldReader {
 public:
  explicit FieldReader(Reader& in) : in_(in) {}

  template <typename... T>
  void operator()(T&... fields) {
    (get(fields), ...);
  }
  void check(bool holds) {
    if (!holds) in_.fail();
  }

 private:
  template <PlainNumber T>
  void get(T& number) {
    if constexpr (std::is_same_v<T, bool>)
      number = in_.get_bounded<unsigned>(1) != 0;
    else
      number = in_.get<T>();
  }
  void get(std::string& text) { text = in_.get_text(); }
  template <typename T>
  void get(std::vector<T>& values) {
    if constexpr (PlainNumber<T>) {
      values = in_.get_all<T>();
    } else {
      values = std::vector<T>(in_.get_count(1));
      for (T& value : values)
        if (in_.ok()) get(value);
    }
  }
  template <typename T, std::size_t N>
  void get(std::array<T, N>& values) {
    for (T& value : values) get(value);
  }
  template <typename T>
  void get(std::optional<T>& value) {
    value.reset();
    if (in_.get_bounded<unsigned>(1) != 0) get(value.emplace());
  }
  template <typename A, typename B>
  void get(std::pair<A, B>& value) {
    get(value.first);
    get(value.second);
  }
  template <typename T>
  requires std::is_class_v<T>
  void get(T& value) {
    if constexpr (requires { value.decode(in_); })
      value.decode(in_);
    else
      value.fields(*this);
  }

  Reader& in_;
};

template <typename T>
void write_fields(Writer& out, const T& value) {
  FieldWriter list(out);
  list(value);
}

// Reads one value from all of the bytes.  Throws std::runtime_error if they do not hold exactly one: if they come from
// another hook of the same job, the app is at fault.
template <typename T>
T read_fields(const Bytes& bytes) {
  T value{};
  Reader in(bytes.view());
  FieldReader list(in);
  list(value);
  if (!in.done()) throw std::runtime_error("damaged data from another hook of the app");
  return value;
}

// save() and restore() of a Push, Pull or Schedule by the fields of `Self`, which derives from this.
template <typename Hook, typename Self>
class SavesFields : public Hook {
 public:
  using Hook::Hook;
  void save(Writer& out) const override {
    FieldWriter list(out);
    const_cast<Self&>(static_cast<const Self&>(*this)).fields(list);
  }
  void restore(Reader& in) override {
    FieldReader list(in);
    static_cast<Self&>(*this).fields(list);
  }
};

}  // namespace rota
