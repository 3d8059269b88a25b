// apps/mf/alternating/app.h -- common to the apps als and ccd.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "apps/mf/alternating/push.h"
#include "apps/mf/app.h"
#include "rota/schedule.h"

namespace rota::mf {

class AlternatingApp : public RatingApp {
 public:
  AlternatingApp(const Job& job, const Settings& settings) : RatingApp(job, settings, true) {}

  std::vector<Term> terms() const override {
    std::vector<Term> terms = RatingApp::terms();
    terms.push_back({"penalty", Term::Kind::objective});
    return terms;
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }

 protected:
  // For the shards of this process.
  std::shared_ptr<WholeData> whole() {
    require_cut(common_->cuts[kUserSide]);  // there may be fewer items
    if (!whole_) whole_ = std::make_shared<WholeData>(common_);
    return whole_;
  }
  // The users' and the items', with rows of this width.
  static std::vector<Table> both_tables(std::uint64_t users, std::uint64_t items, std::uint32_t width) {
    std::vector<Table> tables;
    for (const auto& [name, keys] : {std::pair("users", users), {"items", items}})
      tables.push_back(
          {.name = name, .keys = keys, .row_width = width, .part_width = width, .dense = true, .sized_by = "rank"});
    tables[kItemSide].started = true;  // the users' are overwritten before they are used
    return tables;
  }

 private:
  std::shared_ptr<WholeData> whole_;
};

// The same rounds in every epoch, users and items in turn.
class AlternatingSchedule final : public Schedule {
 public:
  // At least one round; the last one ends the epoch.
  explicit AlternatingSchedule(std::vector<Round> rounds) : rounds_(std::move(rounds)) {
    rounds_.back().ends_epoch = true;
  }
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random&) override { return rounds_[std::exchange(next_, (next_ + 1) % rounds_.size())]; }

  // A round on one side, for the rows that the shards choose.
  static Round round_on(TableId side, Argument argument = {}) {
    Round round;
    round.table = side;
    round.argument = std::move(argument);
    round.open = true;
    return round;
  }

 private:
  std::vector<Round> rounds_;
  std::size_t next_ = 0;  // 0 at the end of an epoch
};

}  // namespace rota::mf
