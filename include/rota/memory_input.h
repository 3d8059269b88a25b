// rota/memory_input.h -- data that a process holds in memory, under names that stand where paths of files stand.
//
// A process that trains in itself puts arrays into a MemoryInputs, and names them in Job::input, Job::valid, or options
// whose kind is path.  The readers of rota/io see the arrays as they are, without a copy.  Programs of the command line
// have no such data.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rota {

inline constexpr std::string_view kMemoryPrefix = "memory:";
inline bool is_memory_name(std::string_view path) {
  return path.starts_with(kMemoryPrefix);
}

// A matrix, or a list of numbers: a dense matrix of one column.  It owns nothing: who puts it in keeps the numbers
// alive, unchanged, until it is removed.
struct MemoryInput {
  using Values = std::variant<std::span<const double>, std::span<const float>>;
  using Indices = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>>;

  std::uint64_t rows = 0, columns = 0;
  Values values = {};
  // A dense matrix: the distance from a number to that in the next row, and in the next column, in numbers.
  bool dense = true;
  std::uint64_t row_stride = 1, column_stride = 1;
  // A sparse one: its rows one after the other.  The entries of row r are [begins[r], begins[r + 1]), columns from 0.
  Indices begins = {}, column = {};
  std::span<const double> labels = {};  // of the rows; empty: there are none
  std::vector<std::string> names = {};  // of the columns; empty: there are none
};

// Those of a process, by their names.  Several threads may use it.
class MemoryInputs {
 public:
  // The name under which it is found: kMemoryPrefix, and a number that no other has or had.
  std::string put(MemoryInput input) {
    auto owned = std::make_shared<const MemoryInput>(std::move(input));
    const std::lock_guard lock(mutex_);
    std::string name = std::string(kMemoryPrefix) + std::to_string(++last_);
    inputs_[name] = std::move(owned);
    return name;
  }
  void remove(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = inputs_.find(name); found != inputs_.end()) inputs_.erase(found);
  }
  // Null if there is none.
  std::shared_ptr<const MemoryInput> find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = inputs_.find(name);
    return found == inputs_.end() ? nullptr : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const MemoryInput>, std::less<>> inputs_;
  std::uint64_t last_ = 0;
};

// Where the code that includes this looks for them: a plugin library, or a program.  The host of a plugin sets that of
// the plugin (Plugin::memory).
using MemorySlot = std::atomic<const MemoryInputs*>;
inline MemorySlot& memory_slot() {
  static MemorySlot slot = nullptr;
  return slot;
}

}  // namespace rota
