// rota/bytes.h -- bounded little-endian writing and reading of plain values.
//
// Used wherever a value leaves its process or its run: slices and shard states of plugins, messages, checkpoints.  A
// Reader never reads past its end: after the first value that does not fit it is `bad`, every later read gives zeros or
// nothing, and the caller checks ok() or done() once, at the end.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rota {

static_assert(std::endian::native == std::endian::little,
              "Rota's formats are little-endian, and so must the machine be");

// Immutable bytes, and the object that owns them.  Copies share the memory.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::shared_ptr<const void> owner, std::span<const std::byte> view) : owner_(std::move(owner)), view_(view) {}

  // Takes over the memory of `buffer`.
  static Bytes from(std::vector<std::byte> buffer) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(buffer));
    return {owner, *owner};
  }

  std::span<const std::byte> view() const { return view_; }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  // A run of these bytes, sharing the memory.  REQUIRES at + size <= size().
  Bytes part(std::size_t at, std::size_t size) const { return {owner_, view_.subspan(at, size)}; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> view_;
};

template <typename T>
concept PlainNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <PlainNumber T>
  void put(T value) {
    append(&value, sizeof value);
  }
  // 7 bits a byte, low bits first, at most 10 bytes.
  void put_varint(std::uint64_t value) {
    while (value >= 0x80) {
      buffer_.push_back(static_cast<std::byte>(value | 0x80));
      value >>= 7;
    }
    buffer_.push_back(static_cast<std::byte>(value));
  }
  // A count, then the numbers.
  template <PlainNumber T>
  void put_all(std::span<const T> values) {
    put_varint(values.size());
    append(values.data(), values.size_bytes());
  }
  void put_text(std::string_view text) { put_all(std::span(text.data(), text.size())); }
  // The bytes alone, without a count.
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = buffer_.size();
    buffer_.resize(at + size);
    std::memcpy(buffer_.data() + at, data, size);
  }
  void reserve(std::size_t size) { buffer_.reserve(size); }

  std::span<const std::byte> view() const { return buffer_; }
  std::vector<std::byte> take() { return std::exchange(buffer_, {}); }

 private:
  std::vector<std::byte> buffer_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <PlainNumber T>
  T get() {
    T value{};
    const auto bytes = get_bytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::uint64_t get_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(get<std::uint8_t>());
      if (shift == 63 && byte > 1) fail();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return ok_ ? value : 0;
    }
    fail();
    return 0;
  }
  // A number of at most `most`; a larger one makes the Reader bad.
  template <typename T = std::uint64_t>
  T get_bounded(std::uint64_t most) {
    const std::uint64_t value = get_varint();
    if (value > most) fail();
    return ok_ ? static_cast<T>(value) : T{};
  }
  // A count that promises at least `each` bytes for every item, so that nothing large is allocated for
  // a short message.
  std::size_t get_count(std::size_t each) {
    const std::uint64_t count = get_varint();
    if (count > rest_.size() / (each == 0 ? 1 : each)) fail();
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }
  template <PlainNumber T>
  std::vector<T> get_all() {
    std::vector<T> values(get_count(sizeof(T)));
    const auto bytes = get_bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::string get_text() {
    const std::size_t size = get_count(1);
    const auto bytes = get_bytes(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // The next `size` bytes, or none.
  std::span<const std::byte> get_bytes(std::size_t size) {
    if (size > rest_.size()) fail();
    if (!ok_) return {};
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }

  // The bytes that were not read.
  std::span<const std::byte> rest() const { return rest_; }

  void fail() {
    ok_ = false;
    rest_ = {};
  }
  bool ok() const { return ok_; }
  // Everything was read, and nothing was missing.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace rota
