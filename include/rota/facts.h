// rota/facts.h -- properties of the data by name, each one number or several: rows, columns, means of columns, ...
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
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
  std::vector<double> values;  // summed, or the largest taken, each by its place

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

  // The job's fact is the sum of those that shards report under this name, all of one size.
  void add(std::string_view name, std::span<const double> values) { put(name, Fact::Kind::sum, values); }
  void add(std::string_view name, double value) { add(name, std::span(&value, 1)); }
  // The job's fact is the largest of them.
  void largest(std::string_view name, std::span<const double> values) { put(name, Fact::Kind::largest, values); }
  void largest(std::string_view name, double value) { largest(name, std::span(&value, 1)); }
  // Adds the facts of a later shard.
  void merge(const Facts& later) {
    for (const Fact& fact : later.facts_) put(fact);
  }

  bool has(std::string_view name) const {
    const auto at = find(name);
    return at != facts_.end() && at->name == name;
  }
  // Throws std::out_of_range if no shard has reported it, so that a misspelt name is not taken for 0.
  std::span<const double> numbers(std::string_view name) const {
    if (!has(name)) throw std::out_of_range("no shard has reported the fact '" + std::string(name) + "'");
    return find(name)->values;
  }
  // The same for one number; throws if there are several.
  double number(std::string_view name) const {
    const std::span<const double> values = numbers(name);
    if (values.size() != 1)
      throw std::out_of_range("the fact '" + std::string(name) + "' has " + std::to_string(values.size()) + " numbers");
    return values.front();
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
  void put(std::string_view name, Fact::Kind kind, std::span<const double> values) {
    put({std::string(name), kind, {values.begin(), values.end()}});
  }
  void put(const Fact& fact) {
    const auto at = facts_.begin() + (find(fact.name) - facts_.cbegin());
    if (at == facts_.end() || at->name != fact.name) {
      facts_.insert(at, fact);
      return;
    }
    if (at->kind != fact.kind)
      throw std::invalid_argument("the fact '" + fact.name + "' is reported as a sum and as the largest");
    if (at->values.size() != fact.values.size())
      throw std::invalid_argument("the fact '" + fact.name + "' is reported with different numbers of values");
    for (std::size_t i = 0; i < fact.values.size(); ++i)
      at->values[i] =
          fact.kind == Fact::Kind::sum ? at->values[i] + fact.values[i] : std::max(at->values[i], fact.values[i]);
  }

  std::vector<Fact> facts_;
};

}  // namespace rota
