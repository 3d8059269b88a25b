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
// and the state of a hook's object: void MyPush::state(Archive& list) { list(moments_); }
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

// Writes fields, or reads them from bytes that the same list has written.  Fields are numbers, enumerations, texts,
// vectors, arrays, optionals and pairs of these, and types with fields of their own or with an encoding of their own
// (encode() and decode(), as those of a Slice).  Numbers are written as they are in memory, counts as varints.
class Archive {
 public:
  explicit Archive(Writer& out) : out_(&out) {}
  // Never reads past the end of the bytes; Reader::ok() is false afterwards if they were not valid.
  explicit Archive(Reader& in) : in_(&in) {}

  // Fields that are const can only be written.
  template <typename... T>
  void operator()(T&&... fields) {
    (one(const_cast<std::remove_cvref_t<T>&>(fields)), ...);
  }
  bool reads() const { return in_ != nullptr; }
  // A condition that the fields must meet once they are read.
  void check(bool holds) {
    if (in_ != nullptr && !holds) in_->fail();
  }
  // For encodings of one's own: null unless it writes, or reads.
  Writer* writer() const { return out_; }
  Reader* reader() const { return in_; }
  // Whether all that was read so far is valid.
  bool ok() const { return in_ == nullptr || in_->ok(); }

 private:
  template <PlainNumber T>
  void one(T& number) {
    if (out_ != nullptr)
      out_->put(number);
    else if constexpr (std::is_same_v<T, bool>)
      number = in_->get_bounded<unsigned>(1) != 0;
    else
      number = in_->get<T>();
  }
  void one(std::string& text) {
    if (out_ != nullptr)
      out_->put_text(text);
    else
      text = in_->get_text();
  }
  template <typename T>
  void one(std::vector<T>& values) {
    if constexpr (PlainNumber<T>) {
      if (out_ != nullptr)
        out_->put_all(std::span<const T>(values));
      else
        values = in_->get_all<T>();
    } else {
      if (out_ != nullptr)
        out_->put_varint(values.size());
      else
        values = std::vector<T>(in_->get_count(1));
      for (T& value : values)
        if (ok()) one(value);
    }
  }
  template <typename T, std::size_t N>
  void one(std::array<T, N>& values) {
    for (T& value : values) one(value);
  }
  template <typename T>
  void one(std::optional<T>& value) {
    auto there = static_cast<std::uint8_t>(value.has_value());
    one(there);
    check(there <= 1);
    if (in_ != nullptr) value = there == 1 ? std::optional<T>(T{}) : std::nullopt;
    if (value) one(*value);
  }
  template <typename A, typename B>
  void one(std::pair<A, B>& value) {
    one(value.first);
    one(value.second);
  }
  template <typename T>
  requires std::is_class_v<T>
  void one(T& value) {
    if constexpr (!requires { value.encode(*out_); })
      value.fields(*this);
    else if (out_ != nullptr)
      value.encode(*out_);
    else
      value.decode(*in_);
  }

  Writer* out_ = nullptr;
  Reader* in_ = nullptr;
};

template <typename T>
void write_fields(Writer& out, const T& value) {
  Archive list(out);
  list(value);
}

// An object whose state is saved with every checkpoint.
class Stateful {
 public:
  virtual ~Stateful() = default;

  // Lists the state as it is at the end of an epoch, to save or to restore it.  What was read must be checked
  // (Archive::check).
  virtual void state(Archive&) {}
  // For the host.
  void save(Writer& out) const {
    Archive list(out);
    const_cast<Stateful&>(*this).state(list);
  }
  void restore(Reader& in) {
    Archive list(in);
    state(list);
  }
};

// Reads one value from all of the bytes.  Throws std::runtime_error if they do not hold exactly one: if they come from
// another hook of the same job, the app is at fault.
template <typename T>
T read_fields(const Bytes& bytes) {
  T value{};
  Reader in(bytes.view());
  Archive list(in);
  list(value);
  if (!in.done()) throw std::runtime_error("damaged data from another hook of the app");
  return value;
}

}  // namespace rota
