// rota/facts.h -- properties of the data, as numbers by name: rows, columns, entries, ...
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rota {

struct Fact {
  enum class Kind : std::uint8_t { sum, largest };
  std::string name;
  Kind kind = Kind::sum;
  double value = 0;

  friend bool operator==(const Fact&, const Fact&) = default;
};

// Every shard reports its own (Push::facts).  They are merged in the order of the shards, so that the result does not
// depend on the worker of a shard.  Then all roles receive it, before the model has a shape.
class Facts {
 public:
  Facts() = default;
  explicit Facts(std::vector<Fact> facts) {
    for (const Fact& fact : facts) put(fact);
  }

  // The job's fact is the sum of those that shards report under this name.
  void add(std::string_view name, double value) { put({std::string(name), Fact::Kind::sum, value}); }
  // The job's fact is the largest of them.
  void largest(std::string_view name, double value) { put({std::string(name), Fact::Kind::largest, value}); }
  // Adds the facts of a later shard.
  void merge(const Facts& later) {
    for (const Fact& fact : later.facts_) put(fact);
  }

  bool has(std::string_view name) const {
    const auto at = find(name);
    return at != facts_.end() && at->name == name;
  }
  // Throws std::out_of_range if no shard has reported it, so that a misspelt name is not taken for 0.
  double number(std::string_view name) const {
    if (!has(name)) throw std::out_of_range("no shard has reported the fact '" + std::string(name) + "'");
    return find(name)->value;
  }
  // The same for a whole number; throws if it is not one, or has more digits than a double.
  std::uint64_t count(std::string_view name) const {
    constexpr double kMost = 9007199254740992.0;  // 2^53
    const double value = number(name);
    if (!(value >= 0 && value <= kMost) || value != std::floor(value))
      throw std::out_of_range("the fact '" + std::string(name) + "' is not a count");
    return static_cast<std::uint64_t>(value);
  }
  // By name, ascending.
  const std::vector<Fact>& all() const { return facts_; }

  friend bool operator==(const Facts&, const Facts&) = default;

 private:
  std::vector<Fact>::const_iterator find(std::string_view name) const {
    return std::lower_bound(facts_.begin(), facts_.end(), name,
                            [](const Fact& fact, std::string_view wanted) { return fact.name < wanted; });
  }
  void put(const Fact& fact) {
    const auto at = facts_.begin() + (find(fact.name) - facts_.cbegin());
    if (at == facts_.end() || at->name != fact.name) {
      facts_.insert(at, fact);
      return;
    }
    if (at->kind != fact.kind)
      throw std::invalid_argument("the fact '" + fact.name + "' is reported as a sum and as the largest");
    at->value = fact.kind == Fact::Kind::sum ? at->value + fact.value : std::max(at->value, fact.value);
  }

  std::vector<Fact> facts_;
};

}  // namespace rota
