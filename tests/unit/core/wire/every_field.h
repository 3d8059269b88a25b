// tests/unit/core/wire/every_field.h -- visits every field of every message independently of codec.cc, so that tests
// can fill, draw and compare messages, and detect a field that the codec omits.
//
// The structured bindings name as many fields as a struct has: a new field does not compile until it is listed here.
#pragma once
#include <concepts>
#include <cstring>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/wire/message.h"

namespace rota::tests {

template <typename M, typename T>
concept Is = std::same_as<std::remove_const_t<M>, T>;

#define ROTA_FIELDS(Type, ...)         \
  inline auto ties(Is<Type> auto& m) { \
    auto& [__VA_ARGS__] = m;           \
    return std::tie(__VA_ARGS__);      \
  }
ROTA_FIELDS(Hash128, a, b)
ROTA_FIELDS(NodeId, a, b)
ROTA_FIELDS(HashedFile, a, b, c)
ROTA_FIELDS(TreeNode, a, b)
ROTA_FIELDS(KeyRun, a, b)
ROTA_FIELDS(Term, a, b)
ROTA_FIELDS(Score, a, b, c, d, e, f)
ROTA_FIELDS(Figure, a, b)
ROTA_FIELDS(IgnoredOption, a, b)
ROTA_FIELDS(EpochFigures, a, b, c, d)
ROTA_FIELDS(Cut, a, b)
ROTA_FIELDS(Round, a, b, c, d, e, f, g, h, i, j)
ROTA_FIELDS(Ack, a)
ROTA_FIELDS(Probe, a)
ROTA_FIELDS(Piece, a, b, c, d, e, f)
ROTA_FIELDS(Hello, a, b, c, d, e, f, g, h)
ROTA_FIELDS(Peer, a, b, c)
ROTA_FIELDS(ShardRange, a, b)
ROTA_FIELDS(Welcome, a, b, c, d, e, f)
ROTA_FIELDS(ReadAhead, a, b)
ROTA_FIELDS(HasRead, a)
ROTA_FIELDS(Refuse, a, b)
ROTA_FIELDS(Beat, a, b, c, d, e, f)
ROTA_FIELDS(Fault, a, b)
ROTA_FIELDS(Stop, a, b)
ROTA_FIELDS(Loaded, a, b, c, d, e, f, g, h, i, j, k, l, objects)
ROTA_FIELDS(Fact, a, b, c)
ROTA_FIELDS(JobFacts, a, b)
ROTA_FIELDS(CutMade, a, b, c, d)
ROTA_FIELDS(Start, a, b, c)
ROTA_FIELDS(Rounds, a, b, c, d)
ROTA_FIELDS(Task, a, b, c, d, e, f, g, h, i, j, k)
ROTA_FIELDS(SharedRows, a, b, c, d, e, f)
ROTA_FIELDS(Handover, a, b, c, d)
ROTA_FIELDS(Tasks, a, b, c)
ROTA_FIELDS(AwaitedBy, a, b, c)
ROTA_FIELDS(ChangeNorms, a, b, c)
ROTA_FIELDS(RoundFeedback, a, b, c, d, e, f)
ROTA_FIELDS(Expect, a, b)
ROTA_FIELDS(Lease, a, b, c, d)
ROTA_FIELDS(Scattered, a, b, c, d, e, f)
ROTA_FIELDS(Parts, a, b, c, d, e, f, g, h)
ROTA_FIELDS(Deltas, a, b, c, d, e)
ROTA_FIELDS(EpochOver, a)
ROTA_FIELDS(EpochDone, a, b, c, d, e, f, g, h, i, j)
ROTA_FIELDS(Evaluate, a, b)
ROTA_FIELDS(TermsOf, a, b)
ROTA_FIELDS(Evaluated, a, b, c, d)
ROTA_FIELDS(Save, a, b)
ROTA_FIELDS(Put, a, b, c, d, e)
ROTA_FIELDS(Stored, a, b)
ROTA_FIELDS(Saved, a)
ROTA_FIELDS(ObjectHash, a, b, c)
ROTA_FIELDS(Written, a, b, c, d, e, f, g)
ROTA_FIELDS(AskChunk, a, b, c)
ROTA_FIELDS(Chunk, a, b, c)
ROTA_FIELDS(Fetch, a, b)
ROTA_FIELDS(Fetched, a, b, c)
ROTA_FIELDS(AskStatus, a, b)
ROTA_FIELDS(StatusReport, a)
#undef ROTA_FIELDS
// Fields for the local host are not sent.
inline auto ties(Is<Table> auto& m) {
  auto& [a, b, c, d, e, f, g, h, i, j, memory, sized_by] = m;
  return std::tie(a, b, c, d, e, f, g, h, i, j);
}
inline auto ties(Is<Ready> auto&) {
  return std::tuple<>();
}

// ---- equality ----

template <typename T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Bytes>) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.view().data(), b.view().data(), a.size()) == 0);
  } else if constexpr (std::is_same_v<T, Argument>) {
    return a == b;
  } else if constexpr (std::is_same_v<T, double>) {
    return std::memcmp(&a, &b, sizeof a) == 0;  // not-a-numbers too
  } else if constexpr (requires { ties(a); }) {
    const auto left = ties(a), right = ties(b);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (same(std::get<I>(left), std::get<I>(right)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(left)>>());
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (requires { a.begin(); } && !std::is_same_v<T, std::string>) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same(a[i], b[i])) return false;
    return true;
  } else {
    return a == b;
  }
}

inline bool same(const Message& a, const Message& b) {
  return a.index() == b.index() &&
         std::visit([&](const auto& left) { return same(left, std::get<std::decay_t<decltype(left)>>(b)); }, a);
}

// ---- filling, from a source of numbers: `number(most)` gives one of 0 .. most, `size()` a small count ----

template <typename Source>
void fill(auto& field, Source& from) {
  using T = std::remove_cvref_t<decltype(field)>;
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  if constexpr (std::is_same_v<T, bool>) {
    field = from.number(1) != 0;
  } else if constexpr (std::is_same_v<T, Role>) {
    field = static_cast<Role>(1 + from.number(static_cast<std::uint64_t>(kLastRole) - 1));
  } else if constexpr (std::is_same_v<T, Kind>) {
    field = static_cast<Kind>(1 + from.number(std::numeric_limits<std::uint16_t>::max() - 1));
  } else if constexpr (std::is_same_v<T, Object>) {
    field = static_cast<Object>(1 + from.number(static_cast<std::uint64_t>(kLastObject) - 1));
  } else if constexpr (std::is_same_v<T, Joins>) {
    field = static_cast<Joins>(from.number(static_cast<std::uint64_t>(kLastJoins)));
  } else if constexpr (std::is_same_v<T, Term::Kind>) {
    field = static_cast<Term::Kind>(from.number(static_cast<std::uint64_t>(Term::Kind::normalised)));
  } else if constexpr (std::is_same_v<T, Score::Scale>) {
    field = static_cast<Score::Scale>(from.number(static_cast<std::uint64_t>(Score::Scale::exp_mean)));
  } else if constexpr (std::is_same_v<T, Score::Better>) {
    field = static_cast<Score::Better>(from.number(1));
  } else if constexpr (std::is_same_v<T, Fact::Kind>) {
    field = static_cast<Fact::Kind>(from.number(1));
  } else if constexpr (std::is_same_v<T, Table::Kind>) {
    field = static_cast<Table::Kind>(from.number(1));
  } else if constexpr (std::is_same_v<T, Combine>) {
    field = static_cast<Combine>(from.number(static_cast<std::uint64_t>(Combine::max)));
  } else if constexpr (std::is_same_v<T, Feedback>) {
    field = static_cast<Feedback>(from.number(static_cast<std::uint64_t>(Feedback::reply)));
  } else if constexpr (std::is_same_v<T, ExitCode>) {
    field = static_cast<ExitCode>(from.number(255));
  } else if constexpr (std::is_same_v<T, NodeId>) {
    fill(field.role, from);
    field.index = static_cast<std::uint32_t>(from.number(kIndexLimit - 1));
  } else if constexpr (std::is_same_v<T, double>) {
    const std::uint64_t bits = from.number(kMost);
    std::memcpy(&field, &bits, sizeof field);
  } else if constexpr (std::is_unsigned_v<T>) {
    field = static_cast<T>(from.number(std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, std::string>) {
    field.clear();
    for (std::size_t left = from.size(); left > 0; --left) field.push_back(static_cast<char>(from.number(255)));
  } else if constexpr (std::is_same_v<T, Bytes>) {
    std::vector<std::byte> bytes(from.size());
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(from.number(255));
    field = Bytes::from(std::move(bytes));
  } else if constexpr (std::is_same_v<T, Argument>) {
    Bytes bytes;
    fill(bytes, from);
    field = Argument::of_bytes(std::move(bytes));
  } else if constexpr (requires { ties(field); }) {
    std::apply([&](auto&... all) { (fill(all, from), ...); }, ties(field));
  } else if constexpr (requires { field.has_value(); }) {
    field.reset();
    if (from.number(1) != 0) fill(field.emplace(), from);
  } else {
    field.clear();
    for (std::size_t left = from.size(); left > 0; --left) fill(field.emplace_back(), from);
  }
}

inline constexpr std::size_t kKinds = std::variant_size_v<AnyMessage>;

// A message of the kind at `index` of the variant.
template <typename Source>
Message filled(std::size_t index, Source& from) {
  Message message;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((I == index ? fill(message.emplace<I>(), from) : void()), ...);
  }
  (std::make_index_sequence<kKinds>());
  return message;
}

// Every message has different numbers in all its fields, lists of two, and nothing left out.
class Counting {
 public:
  std::uint64_t number(std::uint64_t most) {
    if (most == 1) return 1;  // a flag, or the presence of an optional
    if (most == std::numeric_limits<std::uint64_t>::max()) return 1000 + ++count_;
    return ++count_ % (most + 1);
  }
  std::size_t size() { return 2; }

 private:
  std::uint64_t count_ = 96;
};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}
  std::uint64_t number(std::uint64_t most) {
    // Small numbers, large ones and the largest: varints of every length.
    const std::uint64_t drawn = random_() % 8 == 0 ? most : random_() >> (random_() % 64);
    return most == std::numeric_limits<std::uint64_t>::max() ? drawn : drawn % (most + 1);
  }
  std::size_t size() { return random_() % 4; }

 private:
  std::mt19937_64 random_;
};

}  // namespace rota::tests
