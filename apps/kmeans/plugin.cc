// apps/kmeans/plugin.cc -- Lloyd's k-means as rounds.  README.md has the mathematics, and the rounds.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <tuple>

#include "apps/kmeans/bounds.h"
#include "apps/kmeans/commands.h"
#include "rota/io/number_list.h"
#include "rota/io/report_text.h"
#include "rota/once_per_version.h"
#include "rota/packed_app.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

constexpr TableId kTalk = 1;  // no row is ever used: its rounds have notes and replies

enum class Step : std::uint8_t {
  draw,    // rows are drawn as the next centre, or at random as all centres
  choose,  // one of these rows becomes it
  look,    // which rows may go to empty clusters, and how good the sums are
  // Rounds of sums, in which rows move to their nearest centres:
  start,   // of all rows, for new centres
  change,  // only rows that move change the sums
  sum,     // of all rows
  recall,  // of all rows, for the clusters of the best start
  end,     // no more rounds
};

// The argument of a round.
struct Purpose {
  Step step = Step::look;
  std::uint32_t rows = 0;  // to draw
  bool first = false;      // to draw: whether a start begins
  bool best = false;       // to draw first: whether the start before is the best so far
  bool last = false;       // round of its epoch

  void fields(auto& list) { list(step, rows, first, best, last); }
};

// A row that may become a centre.
struct Candidate {
  double key = 0;  // the smallest wins
  ShardId shard = 0;
  std::uint32_t row = 0;                    // of the shard
  std::vector<std::uint32_t> columns = {};  // its entries, if all shards need them
  std::vector<double> values = {};

  void fields(auto& list) { list(key, shard, row, columns, values); }
};

// A cluster that rows leave or enter.
struct Change {
  std::uint32_t cluster = 0;
  double members = 0, gained = 0;  // before, in all shards, and in this one

  void fields(auto& list) { list(cluster, members, gained); }
};

// Of one shard; pull replies the same for all shards together.
struct Note {
  std::vector<Candidate> candidates = {};
  // For each of the drawn rows: the sum of all rows' squared distances to the nearest centre if the row were one.
  std::vector<double> potentials = {};
  std::uint32_t chosen = 0;  // of the drawn rows, in the reply
  // Of a look and a round of sums, about the sums before it:
  std::uint64_t moved = 0;           // rows that move, or would
  double inertia = 0;                // if it is needed
  double largest = 0;                // |x|^2 of the rows that move, and |S_k|^2 of the clusters
  double least = 0;                  // |S_k|^2 of the clusters
  std::vector<Change> changes = {};  // in a round of sums; those without members too; ascending

  void fields(auto& list) { list(candidates, potentials, chosen, moved, inertia, largest, least, changes); }
};

// ---- schedule

// A start ends when every row is nearest to the centre of its own cluster, or, if there is a tolerance, when an epoch
// has lowered the inertia by less than this share of it; but not while there is a row for an empty cluster.
//
// A round of sums tells how good the sums before it were.  A look tells it of those after it, at the cost of a round:
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
  // What a round tells of the sums before it, or a look of those of now.
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
    // Before the last epoch, too: what it tells decides how the sums are made in the last one.
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

// ---- push

// The rows as centres of one member each.
std::vector<double> centres_at(std::span<const Candidate> rows, std::uint64_t columns) {
  const std::size_t width = rows.size();
  std::vector<double> table((columns + 1) * width);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t e = 0; e < rows[i].columns.size(); ++e) table[rows[i].columns[e] * width + i] = rows[i].values[e];
    table[columns * width + i] = 1;
  }
  return table;
}

// The centres of --centres as rows.
std::vector<Candidate> given_centres(const std::string& path, std::uint32_t clusters, std::uint64_t columns) {
  const std::vector<double> numbers =
      io::read_numbers(path, "a number of a centre", -std::numeric_limits<double>::infinity());
  if (numbers.size() != clusters * columns)
    throw DataError(path, 0,
                    "expected " + std::to_string(clusters) + " centres of " + std::to_string(columns) +
                        " columns, found " + std::to_string(numbers.size()) + " numbers");
  std::vector<Candidate> centres(clusters);
  for (std::uint32_t k = 0; k < clusters; ++k) {
    centres[k].key = k;
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double x = numbers[k * columns + j];
      if (!(std::abs(x) <= kValues.most)) throw DataError(path, 0, "a number of a centre is too large");
      if (x == 0) continue;
      centres[k].columns.push_back(j);
      centres[k].values.push_back(x);
    }
  }
  return centres;
}

// Of all shards of a process, by round and version of the sums: the rows that were drawn for the next centre, and the
// centres of all clusters, which begin with drawn rows.  Between two rounds that make centres there is always a push of
// all shards, so that none still needs the centres before.
struct SharedCentres {
  OncePerVersion<Centres, std::pair<RoundId, std::uint64_t>> drawn, all;
};

class KmeansPush final : public SharedPush {
 public:
  // `inertia`: whether the schedule needs it.  `given`: the first centres, if they are not drawn.
  KmeansPush(ShardId shard, io::SparseMatrix rows, std::uint32_t clusters, bool inertia,
             std::shared_ptr<SharedCentres> shared, std::shared_ptr<const std::vector<Candidate>> given)
      : shard_(shard),
        clusters_(clusters),
        inertia_(inertia),
        rows_(std::move(rows)),
        shared_(std::move(shared)),
        given_(std::move(given)),
        state_(rows_.rows) {
    for (std::uint64_t r = 0; r < rows_.rows; ++r) squares_.push_back(square_of(rows_[r].values));
  }

  std::uint64_t items() const override { return rows_.rows; }
  void attach(const Shape& shape) override { sums_ = shape.views[kSums]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const auto purpose = task.argument.as<Purpose>();
    write_fields(task.note, purpose.step == Step::draw     ? draw(purpose, random)
                            : purpose.step == Step::choose ? weigh()
                            : purpose.step == Step::look   ? look(task.round)
                                                           : move(purpose.step, task));
    return rows_.rows;
  }
  // The nearest centres are found here and not by the push, while the schedule chooses the next round.
  void refresh(const Commit& commit) override {
    const auto purpose = commit.argument.as<Purpose>();
    const auto all = read_fields<Note>(commit.reply);
    if (commit.table == kSums) {
      if (purpose.step == Step::start)
        shared_->drawn.of({commit.round, sums_.version()}, [](Centres& centres) { centres = {}; });
      std::vector<std::uint32_t> changed;
      for (const Change& each : all.changes) changed.push_back(each.cluster);
      follow_sums(commit.round, follows_ && purpose.step == Step::change ? &changed : nullptr);
      assign();
      if (inertia_) complete_distances();
    } else if (purpose.step == Step::look) {  // the farthest row goes to the first empty cluster, ...
      for (std::size_t i = 0; i < std::min(all.candidates.size(), centres_->empty().size()); ++i)
        if (all.candidates[i].shard == shard_) state_.at(all.candidates[i].row).target = centres_->empty()[i];
    } else if (!all.candidates.empty() &&
               (purpose.step == Step::choose || (purpose.first && purpose.rows == clusters_))) {
      follow(commit.round,
             [&](Centres& centres) { centres.begin(centres_at(all.candidates, columns()), clusters_, true); });
    } else if (!all.candidates.empty()) {
      centres_ = &shared_->drawn.of({commit.round, sums_.version()}, [&](Centres& centres) {
        centres = {centres_at(all.candidates, columns()), static_cast<std::uint32_t>(all.candidates.size())};
      });
    } else {  // the next rows are drawn by the squared distance to the nearest of the chosen ones
      for (std::uint64_t r = 0; r < rows_.rows; ++r)
        weight_[r] = std::min(weight_[r], centres_->distance(rows_[r], all.chosen));
    }
  }
  void evaluate(Terms terms) const override {
    double sum = 0;
    for (std::uint64_t r = 0; r < rows_.rows; ++r) sum += distance(r);
    terms["inertia"] += sum;
  }

  void state(Archive& list) override {
    if (!list.reads()) complete_distances();
    list(state_);
    if (list.reads()) {
      bounds_.forget();
      follows_ = false;
    }
    list.check(state_.size() == rows_.rows && std::ranges::all_of(state_, [&](const RowState& row) {
                 return std::max({row.nearest, row.target, row.cluster, row.best}) < clusters_;
               }));
  }
  bool restores_in_place() const override { return true; }

 private:
  std::uint64_t columns() const { return sums_.numbers().size() / clusters_ - 1; }
  double distance(std::uint64_t r) const {
    const RowState& row = state_[r];
    return row.distance == kUnknown ? centres_->distance(rows_[r], row.nearest) : row.distance;
  }
  double complete_distances() {  // and returns their sum
    double sum = 0;
    for (std::uint64_t r = 0; r < rows_.rows; ++r) sum += state_[r].distance = distance(r);
    return sum;
  }
  // The centres of all clusters are now those that begin(centres) makes.
  template <typename Begin>
  void follow(RoundId round, Begin begin) {
    centres_ = &shared_->all.of_parts({round, sums_.version()}, Centres::parts_of(columns()), begin,
                                      [](Centres& centres, std::size_t part) { centres.measure(part); });
  }
  // `changed`: the clusters whose sums are others than those that were followed last; null: not known.
  void follow_sums(RoundId round, const std::vector<std::uint32_t>* changed) {
    follow(round, [&](Centres& centres) { centres.begin(sums_.numbers(), clusters_, true, changed); });
    follows_ = true;
  }
  void assign() { bounds_.assign(*centres_, rows_, squares_, state_); }

  // Rows in proportion to their weights, without replacement: those of the smallest keys -log(u) / weight, where u is
  // uniform (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", Information Processing Letters 2006;
  // theirs is u^(1/weight), the largest).  Every shard draws for its own rows, and the smallest keys overall win.
  Note draw(const Purpose& purpose, Random& random) {
    if (purpose.best)
      for (RowState& row : state_) row.best = row.cluster;
    if (given_) return {.candidates = shard_ == 0 ? *given_ : std::vector<Candidate>()};
    if (purpose.first) weight_.assign(rows_.rows, kInfinity);
    std::vector<double> keys;
    for (const double weight : weight_) {
      const double size = -std::log1p(-random.uniform());
      keys.push_back(purpose.first ? size : weight > 0 ? size / weight : kInfinity);
    }
    Note note;
    for (const std::uint32_t r : io::largest(keys.size(), purpose.rows, [&](std::uint32_t i) { return -keys[i]; })) {
      const auto [columns, values] = rows_[r];
      note.candidates.push_back({keys[r], 0, r, {columns.begin(), columns.end()}, {values.begin(), values.end()}});
    }
    return note;
  }
  // How good a centre each of the drawn rows is.
  Note weigh() const {
    const std::uint32_t drawn = centres_->clusters();
    std::vector<double> distances(drawn);
    Note note{.potentials = std::vector<double>(drawn)};
    for (std::uint64_t r = 0; drawn > 1 && r < rows_.rows; ++r) {
      centres_->distances(rows_[r], squares_[r], distances);
      for (std::uint32_t i = 0; i < drawn; ++i) note.potentials[i] += std::min(weight_[r], distances[i]);
    }
    return note;
  }
  // Rows go to their targets.  If the sums change, parts have only the changes: a row leaves the sums and the count of
  // its old cluster, and enters those of the new one.
  Note move(Step step, const SharedTask& task) {
    const bool all = step != Step::change;
    if (step == Step::start) assign();
    Note note = step == Step::change || step == Step::sum ? report(task.round) : Note();
    std::vector<double> gained(clusters_);
    std::vector<char> changes(clusters_, all ? 1 : 0);
    if (!all)
      for (const std::uint32_t k : centres_->empty()) changes[k] = 1;
    const OpenParts parts = task.parts;
    const std::uint32_t width = sums_.width(), groups = clusters_ / width;
    const std::uint64_t counts = columns();
    // A row enters a cluster; with the sign -1 it leaves it.
    const auto add = [&](std::uint64_t r, std::uint32_t k, double sign) {
      const std::uint32_t group = k / width, place = k % width;
      const auto [its_columns, values] = rows_[r];
      for (std::size_t e = 0; e < its_columns.size(); ++e)
        parts[std::uint64_t{its_columns[e]} * groups + group][place] += sign * values[e];
      parts[counts * groups + group][place] += sign;
      gained[k] += sign;
      changes[k] = 1;
    };
    for (std::uint64_t r = 0; r < rows_.rows; ++r) {
      const std::uint32_t to = step == Step::recall ? state_[r].best : state_[r].target;
      const std::uint32_t from = std::exchange(state_[r].cluster, to);
      if (from != to || step == Step::start) {
        ++note.moved;
        note.largest = std::max(note.largest, squares_[r]);
      }
      if (all || from != to) add(r, to, 1);
      if (!all && from != to) add(r, from, -1);
    }
    for (std::uint32_t k = 0; k < clusters_; ++k)
      if (changes[k] != 0) note.changes.push_back({k, all ? 0 : centres_->count(k), gained[k]});
    return note;
  }
  Note look(RoundId round) {
    Note note = report(round);
    if (!centres_->empty().empty()) complete_distances();
    for (std::uint64_t r = 0; r < rows_.rows; ++r) {
      if (state_[r].nearest == state_[r].cluster) continue;
      ++note.moved;
      note.largest = std::max(note.largest, squares_[r]);
    }
    for (const std::uint32_t r : centres_->farthest(state_))
      note.candidates.push_back({.key = -state_[r].distance, .row = r});
    return note;
  }
  // On the sums as they are.
  Note report(RoundId round) {
    if (!follows_) follow_sums(round, nullptr);  // in a resumed job
    Note note;
    if (inertia_) note.inertia = complete_distances();
    std::tie(note.least, note.largest) = centres_->sums();
    return note;
  }

  ShardId shard_;
  std::uint32_t clusters_;
  bool inertia_;
  io::SparseMatrix rows_;
  std::vector<double> squares_;  // of each row
  std::shared_ptr<SharedCentres> shared_;
  std::shared_ptr<const std::vector<Candidate>> given_;  // null: drawn
  const Centres* centres_ = nullptr;  // in a start the rows that were drawn last, then the starting centres
  TableView sums_;
  std::vector<double> weight_;  // of each row in the next draw
  std::vector<RowState> state_;
  // Never saved: without them the nearest centres are the same.
  Bounds bounds_;
  bool follows_ = false;  // whether the shared centres are those of the sums
};

// ---- pull

class KmeansPull final : public Pull {
 public:
  explicit KmeansPull(std::uint32_t clusters) : clusters_(clusters) {}

  void pull(const PullTask& task) override {
    const auto purpose = task.argument.as<Purpose>();
    if (task.table == kSums) purpose.step == Step::change ? AddPull().pull(task) : AssignPull().pull(task);
    if (task.notes.empty()) return;  // another partition has them
    Note all = combined(task.notes);
    if (purpose.step == Step::draw) {
      if (all.candidates.size() > purpose.rows) all.candidates.resize(purpose.rows);
      drawn_ = all.candidates;
    }
    if (purpose.step == Step::choose) {
      all.chosen = static_cast<std::uint32_t>(std::ranges::min_element(all.potentials) - all.potentials.begin());
      chosen_.push_back(drawn_.at(all.chosen));
      if (chosen_.size() == clusters_) all.candidates = std::exchange(chosen_, {});
    }
    write_fields(task.reply, all);
  }

 private:
  // Sums in the order of the shards, and the candidates, the smallest key first; of equal ones that of the first shard,
  // and of its first row.
  static Note combined(std::span<const Bytes> notes) {
    Note all;
    for (ShardId shard = 0; shard < notes.size(); ++shard) {
      auto note = read_fields<Note>(notes[shard]);
      all.moved += note.moved;
      all.inertia += note.inertia;
      all.largest = std::max(all.largest, note.largest);
      all.least = note.least;
      all.changes.insert(all.changes.end(), note.changes.begin(), note.changes.end());
      all.potentials.resize(note.potentials.size());
      for (std::size_t i = 0; i < note.potentials.size(); ++i) all.potentials[i] += note.potentials[i];
      for (Candidate& each : note.candidates) {
        each.shard = shard;
        all.candidates.push_back(std::move(each));
      }
    }
    std::ranges::sort(all.changes, {}, &Change::cluster);
    std::size_t distinct = 0;
    for (const Change& each : all.changes) {
      if (distinct > 0 && all.changes[distinct - 1].cluster == each.cluster)
        all.changes[distinct - 1].gained += each.gained;
      else
        all.changes[distinct++] = each;
    }
    all.changes.resize(distinct);
    std::ranges::stable_sort(all.candidates, {}, &Candidate::key);
    return all;
  }

  std::uint32_t clusters_;
  std::vector<Candidate> drawn_, chosen_;  // of a start: the rows drawn last, and the centres so far
};

// ---- app

struct Data : io::SparseMatrix {
  std::uint64_t items() const { return rows; }
  bool fits(const io::RowsSize& all, const Job& job, ShardId shard) const {
    return rows == dealt_to(shard, all.rows, job.shards) && columns <= all.columns;
  }
};

class Kmeans final : public PackedApp<io::RowsSize, Data> {
 public:
  using Settings = kmeans::Settings;
  explicit Kmeans(const Job& job) : PackedApp(job), settings_(checked_settings(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override {
    HostedShards<Data> shards(job_.shards, hosted);
    io::RowFiles files(job_.input, settings_.form, kValues);
    for (io::LabelledValues row; files.next(row);)
      if (Data* const data = shards.of_item(files.rows() - 1)) data->add({row.columns, row.values});
    const io::RowsSize size = files.size();
    require_dealt(size.rows, job_.shards);
    for (Data& data : shards.all()) data.shrink_to_fit();
    return {size, std::move(shards.all())};
  }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override {
    size_ = std::move(loaded.common);
    if (size_.rows < settings_.clusters)
      throw UsageError("the data has " + std::to_string(size_.rows) +
                       " rows, fewer than --clusters=" + std::to_string(settings_.clusters));
    std::shared_ptr<const std::vector<Candidate>> given;
    if (!settings_.centres.empty())
      given = std::make_shared<const std::vector<Candidate>>(
          given_centres(settings_.centres, settings_.clusters, size_.columns));
    return pushes_of<KmeansPush>(loaded, hosted, settings_.clusters, settings_.tolerance > 0 || settings_.restarts > 1,
                                 std::make_shared<SharedCentres>(), given);
  }
  void facts(Facts& facts) const override { facts.largest("columns", static_cast<double>(size_.columns)); }
  std::vector<Table> tables(const Facts& facts) const override {
    const std::uint32_t clusters = settings_.clusters, width = width_of_sums(clusters);
    return {{.name = "sums",
             .keys = (facts.count("columns") + 1) * (clusters / width),
             .row_width = width,
             .part_width = width,
             .dense = true,
             .sized_by = "clusters"},
            {.name = "talk", .keys = 1, .row_width = 1, .single_partition = true}};
  }
  void save_common(Writer& out) const override { write_fields(out, size_.names); }
  std::vector<Term> terms() const override { return {{"inertia", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<KmeansSchedule>(settings_);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<KmeansPull>(settings_.clusters); }

 private:
  Settings settings_;
  io::RowsSize size_;
};

}  // namespace
}  // namespace rota::kmeans

using rota::kmeans::Kmeans;
ROTA_APP(
    Kmeans, .name = "kmeans", .summary = "k-means clustering: Lloyd's algorithm from a k-means++ start",
    .items = "rows", .epochs = 0,  // the schedule ends the job
    .packed_format = 3, .packed_options = rota::io::kRowOptions,
    .check = [](const rota::Options& chosen) { (void)rota::kmeans::checked_settings(chosen); },
    .framework_needs = rota::kSynchronous, .export_text = rota::kmeans::export_text,
    .commands = rota::kmeans::kCommands);
