// core/records/assignment.h -- which workers host shards, as the events of a run have it.
#pragma once
#include <charconv>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/json_text.h"

namespace rota {

// "worker-2" before "worker-10".
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair(number_of(a), std::string_view(a)) < std::pair(number_of(b), std::string_view(b));
  }
  static std::uint64_t number_of(std::string_view worker) {
    std::uint64_t number = 0;
    std::from_chars(worker.data() + worker.rfind('-') + 1, worker.data() + worker.size(), number);
    return number;
  }
};

class Assignment {
 public:
  // Shards, as "0 to 3", by worker: in the order in which an epoch's record has its workers.
  using Hosts = std::map<std::string, std::string, ByNumber>;

  // An event of the run, each in its turn.  Those of one assignment come together; only processes may join meanwhile.
  void take(const std::string& event, const nlohmann::json& record) {
    if (event == "joined") return;
    const bool goes_on = std::exchange(goes_on_, event == "hosts");
    if (!goes_on_) return;
    if (!goes_on) hosts_.clear();
    hosts_[text_in(record, "role")] = text_in(record, "shards");
  }
  const Hosts& hosts() const { return hosts_; }

 private:
  Hosts hosts_;  // the newest
  bool goes_on_ = false;
};

}  // namespace rota
