// apps/kmeans/schedule.cc -- the first step: the rounds of epochs, and the ends of starts.
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "apps/kmeans/hooks.h"
#include "rota/fields.h"

namespace rota::kmeans {
namespace {

// A start ends when every row is nearest to the centre of its own cluster, or, if there is a tolerance, when an epoch
// has lowered the inertia by less than this share of it; but not while there is a row for an empty cluster.
//
// A round of sums reports how good the sums before it were.  A look reports on those after it, at the cost of a round:
// in epochs that may be the last, which the tolerance decides one epoch too late otherwise, or if a cluster is empty.
//
// Sums that are changed by differences keep the rounding of all rows that were ever in them: a row of 1e17 that leaves
// takes the last digits of the others with it.  That does no harm as long as neither a row that moves nor a sum is more
// than 2^20 times as large as any sum, and there is no other start whose sums must be the same again.  Else the sums
// are computed from all rows every kSumEvery epochs, and a start ends only with an epoch that does so.
class KmeansSchedule final : public Schedule {
 public:
  explicit KmeansSchedule(const Settings& settings) : settings_(settings) {}

  // No choice depends on feedback, so rounds may be in flight; their pushes wait for the commits before them.
  std::uint32_t pipeline(std::uint32_t wish) const override { return wish > 0 ? wish : 16; }
  Feedback wish() const override { return Feedback::reply; }
  bool may_end_job() const override { return true; }
  bool ends_job() override { return step_ == Step::end; }
  std::optional<bool> converged() const override { return step_ == Step::end && converged_; }
  std::vector<Figure> figures() override {
    return {{"rows_moved", static_cast<double>(moved_)}, {"starts_ended", static_cast<double>(starts_)}};
  }

  Round next(Random&) override {
    if (epoch_.empty()) begin_epoch();
    Round round;
    epoch_.front().last = epoch_.size() == 1;
    round.argument = Argument(epoch_.front());
    round.open = epoch_.front().step >= Step::start;
    round.table = round.open ? kSums : kTalk;
    epoch_.pop_front();
    round.ends_epoch = epoch_.empty();
    return round;
  }
  void feedback(const Commit& commit) override {
    const auto purpose = commit.argument.as<Purpose>();
    if (purpose.step < Step::look) return;
    const auto all = read_fields<Note>(commit.reply);
    const bool looks = purpose.step == Step::look;
    if (purpose.step == Step::start)
      settled_ = false;
    else if (!std::exchange(looked_, looks))
      learn(all);
    largest_ = std::max(largest_, all.largest);
    if (!looks) {
      ++epochs_;
      moved_ = all.moved;
      fresh_ = purpose.step != Step::change;
      has_empty_ = std::ranges::any_of(all.changes, [](const Change& k) { return k.members + k.gained == 0; });
    }
    if (purpose.last) decide(looks || (purpose.step == Step::change && all.moved == 0));
  }
  void state(Archive& list) override {
    list(step_, inertia_, epochs_, largest_, least_, fresh_, looked_, has_empty_, settled_, nearly_settled_, sound_,
         starts_, best_inertia_, best_, converged_);
    list.check(step_ >= Step::start && step_ <= Step::end && starts_ <= settings_.restarts);
  }

 private:
  static constexpr std::uint64_t kSumEvery = 10;
  static constexpr double kLargest = 0x1p40;  // of squares
  static constexpr double kNearly = 100;  // tolerances: an epoch that lowers the inertia by less may be among the last

  bool is_sound() const { return settings_.restarts == 1 && largest_ <= kLargest * least_; }
  // What a round reports on the sums before it, or a look on those of now.
  void learn(const Note& all) {
    const auto fell_less = [&](double share) {
      return settings_.tolerance > 0 && inertia_ - all.inertia < share * settings_.tolerance * inertia_;
    };
    settled_ = all.candidates.empty() && (all.moved == 0 || fell_less(1));
    nearly_settled_ = fell_less(kNearly);
    inertia_ = all.inertia;
    least_ = all.least;
    if (fresh_) largest_ = 0;
    sound_ = fresh_ || is_sound();
  }
  // At the end of an epoch.  `known`: whether what was told last is of the sums of now.
  void decide(bool known) {
    if (step_ == Step::recall)
      step_ = Step::end;
    else if (known && ((settled_ && sound_) || epochs_ >= settings_.most_epochs))
      end_start(settled_);
    else if (is_sound())
      step_ = Step::change;
    else
      step_ = settled_ || epochs_ + 1 >= settings_.most_epochs || epochs_ % kSumEvery == 0 ? Step::sum : Step::change;
  }
  // The rounds of a start, one of sums, and looks.
  void begin_epoch() {
    const bool one_by_one = settings_.plusplus && settings_.centres.empty();
    const std::uint32_t clusters = settings_.clusters, draws = one_by_one ? clusters : 1;
    // Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007, drew more than one row for a
    // centre; the number is that of their implementation and of scikit-learn's.
    const std::uint32_t several = 2 + static_cast<std::uint32_t>(std::log(clusters));
    for (std::uint32_t k = 0; step_ == Step::start && k < draws; ++k) {
      epoch_.push_back({Step::draw, draws == 1 ? clusters : k == 0 ? 1 : several, k == 0, k == 0 && best_});
      if (one_by_one) epoch_.push_back({Step::choose});
    }
    const bool moves = step_ == Step::change || step_ == Step::sum;
    if (moves && has_empty_ && !looked_) epoch_.push_back({Step::look});
    epoch_.push_back({step_});
    // Before the last epoch, too: what it reports decides how the sums are made in the last one.
    if (step_ == Step::sum || (step_ != Step::recall && (nearly_settled_ || epochs_ + 2 >= settings_.most_epochs)))
      epoch_.push_back({Step::look});
  }
  void end_start(bool settled) {
    best_ = inertia_ < best_inertia_;
    if (best_) {
      best_inertia_ = inertia_;
      converged_ = settled;
    }
    inertia_ = kInfinity;
    epochs_ = 0;
    looked_ = nearly_settled_ = false;
    step_ = ++starts_ < settings_.restarts ? Step::start : best_ ? Step::end : Step::recall;
  }

  Settings settings_;
  std::deque<Purpose> epoch_;        // its rounds that are still to come
  Step step_ = Step::start;          // of the epoch's round of sums
  double inertia_ = kInfinity;       // told last of this start
  std::uint64_t epochs_ = 0;         // of this start
  double largest_ = 0;               // Note::largest since all rows were summed
  double least_ = 0;                 // Note::least, told last
  bool fresh_ = false;               // whether the sums are of all rows
  bool looked_ = false;              // whether a look has told of them
  bool has_empty_ = false;           // whether a cluster has no members
  bool settled_ = false;             // told last: whether there is no better step, ...
  bool nearly_settled_ = false;      // ... whether the tolerance may soon say so, ...
  bool sound_ = false;               // ... and whether the sums are good enough for an end
  std::uint32_t starts_ = 0;         // that have ended
  double best_inertia_ = kInfinity;  // of all of them
  bool best_ = false;                // whether it is that of the last one
  bool converged_ = false;           // whether the best one did
  std::uint64_t moved_ = 0;          // rows, in this epoch
};

}  // namespace

std::unique_ptr<Schedule> kmeans_schedule(const Settings& settings) {
  return std::make_unique<KmeansSchedule>(settings);
}

}  // namespace rota::kmeans
