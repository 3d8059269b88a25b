// apps/lasso/by_rows/schedule.cc -- the first step when shards are ranges of rows.
//
// An epoch is a number of rounds that update coefficients, and then a screen of all of them (Step::screen), which gives
// the duality gap and the current priority of every coefficient.  If the objective has risen, the epoch is undone;
// then, and if it has hardly fallen for long, rounds no longer overlap or the batch is halved.  A converged fit is
// recorded, and the next one begins with a screen.  Several schedulers, each with its share of the coefficients, take
// these steps together: they decide on the same data.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "apps/lasso/by_rows/hooks.h"
#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/fit_sequence.h"
#include "rota/schedules/priority.h"

namespace rota::lasso {
namespace {

// Rounds that update coefficients between two screens.  Priorities should be renewed soon, for any number of columns: a
// screen finds at once what draws find by chance.  The other orders do not use priorities, and screen every sixteenth
// of a pass: a screen computes as much as a pass, but it is one exchange.
constexpr std::uint64_t kUpdatesLeast = 16, kUpdatesMost = 1024;
constexpr std::uint64_t kLooksInPass = 16;
// Share of the objective by which rounding may raise it.
constexpr double kRiseByRounding = 1e-10;
// Share of the gap that two updates of every coefficient gain at least, if they do not interfere.
constexpr double kLeastGain = 1e-7;
constexpr std::uint64_t kUpdatesForGain = 2;
// A fit that has not converged by then is recorded with its gap.
constexpr std::uint32_t kLooksMost = 10'000;

// A part of the q-th coefficient in a block has q products: a block of all 256 has 32,640.
constexpr std::uint32_t kLargestBlock = 256;

// The purpose of the rounds.
class FitController {
 public:
  // `staleness`: how many rounds a push may lag.
  FitController(const RowSettings& settings, Share share, std::uint32_t staleness)
      : settings_(settings), share_(share), staleness_(staleness), sequence_(settings), batch_(settings.coordinates) {}

  // The next round.  One that updates coefficients does not name any yet.
  Round next() {
    if (planned_.empty()) plan();
    Round round = std::move(planned_.front());
    planned_.pop_front();
    return round;
  }

  // After coefficients have changed.
  void record_changes(const Commit& commit) {
    for (const auto& [key, value, change] : commit.deltas) {
      if (key == kIntercept || change[0] == 0) continue;
      const auto place = nonzero_.find(key);
      before_.emplace(key, place == nonzero_.end() ? 0 : place->second);
      if (value[0] != 0)
        nonzero_[key] = value[0];
      else if (place != nonzero_.end())
        nonzero_.erase(place);
    }
  }

  // After a screen of all of them.
  void evaluate_screen(RowsCertificate certificate) {
    figures_ = {{"fold", static_cast<double>(sequence_.fold())},
                {"penalty", static_cast<double>(sequence_.penalty())},
                {"lambda", sequence_.lambda()},
                {"objective", certificate.objective},
                {"gap", certificate.gap},
                {"coordinates", static_cast<double>(batch_)}};
    const double gain = looks_++ == 0 ? certificate.objective : good_.objective - certificate.objective;
    const bool risen = !(gain >= -kRiseByRounding * good_.objective);  // also if it is infinite or NaN
    since_gain_ = gain < kLeastGain * certificate.gap ? since_gain_ + certificate.updates : 0;
    if (risen || since_gain_ >= kUpdatesForGain * certificate.all_columns) reduce_parallelism();
    figures_.push_back({"undone", risen ? 1.0 : 0.0});
    if (risen) {
      beginning_ = Beginning::undo;
      return;
    }
    before_.clear();
    good_ = std::move(certificate);
    if (!sequence_.begun()) {
      looks_ = 0;
      beginning_ = sequence_.begin(good_.steepest / settings_.l1_ratio) ? Beginning::start : Beginning::screen;
      return;
    }
    const bool done = good_.gap <= settings_.tolerance * good_.null_objective;
    beginning_ = done || looks_ >= kLooksMost ? Beginning::record : Beginning::update;
    if (beginning_ == Beginning::record) sequence_.end_fit(done);
  }

  // Coefficients that a round may change.
  std::uint32_t batch() const { return batch_; }
  // The last screen, unless it found that the epoch must be undone; then the one before.
  const RowsCertificate& good() const { return good_; }
  std::vector<Figure> figures() { return std::exchange(figures_, {}); }
  bool converged() const { return sequence_.converged(); }

  void fields(auto& list) {
    std::vector<std::pair<Key, double>> nonzero(nonzero_.begin(), nonzero_.end());
    std::vector<std::pair<Key, double>> before(before_.begin(), before_.end());
    list(sequence_, batch_, alone_, beginning_, looks_, since_gain_, good_, nonzero, before);
    list.check(batch_ > 0 && beginning_ <= Beginning::record);
    for (const auto* const values : {&nonzero, &before})
      for (const auto& [key, value] : *values) list.check(key < good_.all_columns || key == kIntercept);
    nonzero_ = {nonzero.begin(), nonzero.end()};
    before_ = {before.begin(), before.end()};
  }

 private:
  // How an epoch begins.
  enum class Beginning : std::uint8_t { start, screen, update, undo, record };

  void plan() {
    switch (beginning_) {
      case Beginning::start:
        add_start();
        break;
      case Beginning::screen:
        break;
      case Beginning::undo:
        add_undo();
        if (looks_ >= kLooksMost) break;  // recorded after the next screen
        [[fallthrough]];
      case Beginning::update:
        add_updates();
        break;
      case Beginning::record:
        add_record();
        const bool other_rows = sequence_.advance();
        looks_ = 0;
        if (sequence_.done()) {
          planned_.back().ends_epoch = planned_.back().ends_job = true;
          return;
        }
        if (other_rows) add_start();
        break;
    }
    add_screen();
  }

  void add(TableId table, Step step, std::vector<Key> shared = {}, std::vector<double> values = {}) {
    const RowsStep argument{{step}, share_.index, std::move(values)};
    planned_.push_back(sequence_.round(table, argument, std::move(shared)));
  }

  // Empty rounds, until all shards have seen the earlier ones.
  void add_barrier_rounds() {
    for (std::uint32_t i = 0; i < staleness_; ++i) add(kCoefficients, Step::record);
  }

  void add_start() {
    std::vector<Key> shared;
    if (share_.index == 0 && settings_.intercept) shared.push_back(kIntercept);
    for (const auto& [key, value] : nonzero_) shared.push_back(key);
    add(kCoefficients, Step::start, std::move(shared));
    add_barrier_rounds();
  }

  void add_undo() {
    std::vector<Key> shared;
    std::vector<double> values;
    if (share_.index == 0 && settings_.intercept) before_[kIntercept] = good_.intercept;
    for (const auto& [key, value] : before_) {
      shared.push_back(key);
      values.push_back(value);
    }
    add(kCoefficients, Step::undo, std::move(shared), std::move(values));
    add_barrier_rounds();
  }

  void add_updates() {
    std::uint64_t updates = kUpdatesLeast;
    if (settings_.order != Order::priority)
      updates = std::clamp(good_.all_columns / (std::uint64_t{batch_} * share_.count * kLooksInPass), kUpdatesLeast,
                           kUpdatesMost);
    for (; updates > 0; --updates) {
      add(kCoefficients, Step::update);
      if (alone_) add_barrier_rounds();
    }
    add_barrier_rounds();
  }

  void add_screen() {
    add(kCoefficients, Step::screen);
    planned_.back().ends_epoch = true;
  }

  void add_record() {
    const std::uint32_t fold = sequence_.fold(), penalty = sequence_.penalty();
    std::vector<Key> fit, path;
    if (share_.index == 0) fit.push_back(fit_key(fold, penalty));
    add(kFits, Step::record, std::move(fit));
    if (fold != 0) return;
    if (share_.index == 0) path.push_back(path_key(penalty, kIntercept));
    for (const auto& [key, value] : nonzero_) path.push_back(path_key(penalty, key));
    add(kPath, Step::record, std::move(path));
  }

  // Changes that do not see each other may cycle or diverge: first reduces staleness, then the size of a round.
  void reduce_parallelism() {
    since_gain_ = 0;
    if (staleness_ > 0 && !alone_)
      alone_ = true;
    else
      batch_ = std::max<std::uint32_t>(batch_ / 2, 1);
  }

  RowSettings settings_;
  Share share_;
  std::uint32_t staleness_;
  FitSequence sequence_;
  std::uint32_t batch_;
  bool alone_ = false;         // each round waits until its changes are seen, for any staleness
  std::deque<Round> planned_;  // of the epoch
  Beginning beginning_ = Beginning::start;
  std::uint32_t looks_ = 0;       // screens of the current fit
  std::uint64_t since_gain_ = 0;  // updates of coefficients since the objective has fallen enough
  RowsCertificate good_;
  std::map<Key, double> nonzero_;  // coefficients of this share
  std::map<Key, double> before_;   // values at the last good screen of those that have changed since
  std::vector<Figure> figures_;    // of the epoch
};

// Draws the coefficients that a round updates, of one share of them: f_1 and f_2 of figure 6 of the STRADS paper.  A
// coefficient's priority is the effect of its last change on the objective, change^2 G_jj: for columns of norm 1 that
// is the paper's.
class RowsSchedule final : public Schedule {
 public:
  RowsSchedule(const RowSettings& settings, const Job& job, Share share, std::unique_ptr<Interference> interference)
      : settings_(settings),
        share_(share),
        staleness_(job.staleness),
        pipeline_(pipeline(job.pipeline)),
        controller_(settings, share, staleness_),
        interference_(std::move(interference)) {}

  // A coefficient becomes free at its feedback, which must not come before pushes see its change.
  std::uint32_t pipeline(std::uint32_t wish) const override {
    return std::max(wish > 0 ? wish : staleness_ + 2, staleness_ + 1);
  }

  Round next(Random& random) override {
    Round round = controller_.next();
    if (round.argument.as<RowsStep>().step == Step::update) draw(round, random);
    return round;
  }

  void feedback(const Commit& commit) override {
    switch (commit.argument.as<RowsStep>().step) {
      case Step::start:
        set_curvatures(read_fields<RowsShape>(commit.reply).curvatures);
        return controller_.record_changes(commit);
      case Step::screen:
        controller_.evaluate_screen(read_fields<RowsCertificate>(commit.reply));
        return set_priorities(controller_.good());
      case Step::update:
        record_draws(commit);
        return controller_.record_changes(commit);
      case Step::undo:
        return controller_.record_changes(commit);
      default:
        return;
    }
  }

  std::vector<Figure> figures() override {
    std::vector<Figure> figures = controller_.figures();
    if (draws_)
      for (Figure& figure : draws_->figures()) figures.push_back(std::move(figure));
    return figures;
  }

  std::optional<bool> converged() const override { return controller_.converged(); }
  void state(Archive& list) override {
    std::vector<double> curvatures = curvatures_;
    list(controller_, curvatures, largest_gain_);
    if (list.writer() != nullptr) return draws_->save(*list.writer());
    set_curvatures(std::move(curvatures));
    draws_->restore(*list.reader());
    draws_->set_batch(controller_.batch());
  }

 private:
  Key first() const { return curvatures_.size() * share_.index / share_.count; }
  Key end() const { return curvatures_.size() * (share_.index + 1) / share_.count; }

  // Sets the curvatures of the columns; called before all else.
  void set_curvatures(std::vector<double> curvatures) {
    curvatures_ = std::move(curvatures);
    if (draws_) return;
    PrioritySchedule::Config config;
    config.table = kCoefficients;
    config.first = first();
    config.end = end();
    config.rounds = std::numeric_limits<std::uint32_t>::max();  // the fit controller ends epochs
    config.staleness = staleness_;
    config.pipeline = pipeline_;
    config.uniform_share = settings_.order == Order::priority ? settings_.uniform_share : 1;
    config.in_turn = settings_.order == Order::round_robin;
    config.on_conflict = settings_.conflicts == Conflicts::ignore ? OnConflict::ignore
                         : settings_.conflicts == Conflicts::drop ? OnConflict::drop
                         : interference_ == nullptr               ? OnConflict::together
                                                                  : OnConflict::group;
    config.largest_block = kLargestBlock;
    draws_ = std::make_unique<PrioritySchedule>(config, std::move(interference_));
  }

  // Adds coefficients to a round, after the intercept.
  void draw(Round& round, Random& random) {
    const Round drawn = draws_->next(random);
    if (settings_.intercept && !drawn.shared.empty()) {
      round.shared.push_back(kIntercept);
      if (!drawn.blocks.empty()) round.blocks.push_back(1);
    }
    round.shared.insert(round.shared.end(), drawn.shared.begin(), drawn.shared.end());
    round.blocks.insert(round.blocks.end(), drawn.blocks.begin(), drawn.blocks.end());
  }

  // The result of a round with drawn coefficients.
  void record_draws(const Commit& commit) {
    std::vector<Delta> deltas(commit.deltas.begin(), commit.deltas.end());
    std::erase_if(deltas, [](const Delta& delta) { return delta.key == kIntercept; });
    std::vector<double> changes;
    for (const Delta& delta : deltas)
      changes.push_back(delta.change[0] * std::sqrt(curvatures_[delta.key]) / largest_gain_);
    for (std::size_t i = 0; i < deltas.size(); ++i) deltas[i].change = std::span(&changes[i], 1);
    draws_->feedback({commit.round, commit.table, deltas, commit.argument, commit.reply});
  }

  // Sets all priorities from a screen of all coefficients, when nothing is in flight.
  void set_priorities(const RowsCertificate& look) {
    std::vector<double> squares(end() - first());
    for (std::size_t i = 0; i < look.columns.size(); ++i) {
      const Key key = look.columns[i];
      const auto gain = static_cast<double>(look.gains[i]);
      if (key >= first() && key < end()) squares[key - first()] = gain * gain;
    }
    if (look.largest_gain > 0) largest_gain_ = look.largest_gain;
    draws_->set_batch(controller_.batch());
    draws_->set_eta(settings_.eta);
    draws_->set_weights(squares);
  }

  RowSettings settings_;
  Share share_;
  std::uint32_t staleness_, pipeline_;
  FitController controller_;
  std::unique_ptr<Interference> interference_;  // until there are draws
  std::vector<double> curvatures_;              // G_jj of every column
  double largest_gain_ = 1;                     // at the last screen: the unit of changes in feedback
  std::unique_ptr<PrioritySchedule> draws_;
};

}  // namespace

std::unique_ptr<Schedule> rows_schedule(const RowSettings& settings, const Job& job, Share share,
                                        std::unique_ptr<Interference> interference) {
  return std::make_unique<RowsSchedule>(settings, job, share, std::move(interference));
}

}  // namespace rota::lasso
