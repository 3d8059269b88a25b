// apps/mf/alternating/app.h -- common to the apps of als/ and ccd/.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/mf/alternating/push.h"
#include "apps/mf/app.h"

namespace rota::mf {

class AlternatingApp : public MfApp {
 public:
  using MfApp::MfApp;

  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
  std::unique_ptr<Slice> slice(std::span<const Key>) const override { return std::make_unique<EmptySlice>(); }

 protected:
  std::vector<std::unique_ptr<Push>> shards_of(const RatingSource& source, std::span<const ShardId> hosted) override {
    source.require_filled(kUserSide);  // there may be fewer items
    auto whole = std::make_shared<WholeData>();
    whole->counts = source.counts();
    whole->names = names_.data();
    std::vector<std::unique_ptr<Push>> out;
    for (ShardRatings& ratings : source.deal(hosted, {kUserSide, kItemSide}))
      out.push_back(push(whole, std::move(ratings)));
    return out;
  }
  virtual std::unique_ptr<Push> push(std::shared_ptr<WholeData> whole, ShardRatings ratings) const = 0;

 private:
  // For a solver without slices, because the app has them.
  class EmptySlice final : public Slice {
   public:
    void encode(Writer&) const override {}
    void decode(Reader&) override {}
  };
};

}  // namespace rota::mf
