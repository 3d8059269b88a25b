// apps/kmeans/plugin.cc -- Lloyd's k-means as rounds.  README.md has the mathematics, and the rounds.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "apps/kmeans/centres.h"
#include "apps/kmeans/commands.h"
#include "apps/kmeans/settings.h"
#include "rota/io/report_text.h"
#include "rota/packed_app.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

constexpr TableId kNotes = 1;  // no row is ever used: its rounds have notes and replies

enum class Step : std::uint8_t {
  draw,    // rows are drawn as the next centre
  choose,  // one of these rows becomes it
  look,    // which centre is nearest to each row, and which rows may go to empty clusters
  // Rounds of sums:
  start,   // of all rows, for new centres
  change,  // only rows that have moved change the sums
  sum,     // of all rows
  recall,  // of all rows, for the clusters of the best start
  end,     // no more rounds
};

// The argument of a round.
struct Purpose {
  Step step = Step::look;
  std::uint32_t cluster = 0;  // to draw, to choose: of the next centre
  std::uint32_t rows = 0;     // to draw: how many
  bool best = false;          // to draw: whether the start before is the best so far

  void fields(auto& list) { list(step, cluster, rows, best); }
};

// A row that may become a centre.
struct Candidate {
  double key = 0;  // the smallest wins
  ShardId shard = 0;
  std::uint32_t row = 0;                    // of the shard
  std::vector<std::uint32_t> columns = {};  // its entries, if all shards need them
  std::vector<double> values = {};

  void fields(auto& list) {
    list(key, shard, row, columns, values);
    list.check(columns.size() == values.size());
  }
};

// Of one shard; pull replies the same for all shards together.
struct Note {
  std::uint32_t wanted = 0;  // how many candidates win
  std::vector<Candidate> candidates = {};
  // For each of the drawn rows: the sum of all rows' squared distances to the nearest centre if the row were one.
  std::vector<double> potentials = {};
  std::uint64_t moved = 0;  // rows whose nearest centre is not that of their cluster
  double inertia = 0;

  void fields(auto& list) { list(wanted, candidates, potentials, moved, inertia); }
};

// ---- schedule

// A start ends when every row is nearest to the centre of its own cluster, or, if there is a tolerance, when an epoch
// has lowered the inertia by less than this share of it; but not while there is a row for an empty cluster.
//
// Sums that are changed by differences keep the rounding of all rows that were ever in them: a row of 1e17 that leaves
// takes the last digits of the others with it.  So they are computed from all rows every kSumEvery epochs, and a start
// ends only with an epoch that does so.
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
    return {{"rows_to_move", static_cast<double>(to_move_)}, {"starts_ended", static_cast<double>(starts_)}};
  }

  // An epoch: rounds of a start, one of sums, and a look.
  Round next(Random&) override {
    const std::uint32_t clusters = settings_.clusters;
    const bool at_once = !settings_.plusplus || clusters == 1;
    const std::uint32_t starting = step_ != Step::start ? 0 : at_once ? 1 : 2 * clusters;
    const std::uint32_t number = round_++, cluster = number / 2;
    if (number > starting) {
      round_ = 0;
      return round_of({Step::look});
    }
    if (number == starting) return round_of({step_});
    if (number % 2 == 1) return round_of({Step::choose, cluster});
    // Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007, drew more than one row for a
    // centre; the number is that of their implementation and of scikit-learn's.
    const std::uint32_t several = 2 + static_cast<std::uint32_t>(std::log(clusters));
    return round_of({Step::draw, cluster, at_once ? clusters : cluster == 0 ? 1 : several, best_});
  }
  void feedback(const Commit& commit) override {
    if (commit.argument.as<Purpose>().step == Step::look) end_epoch(read_fields<Note>(commit.reply));
  }
  void state(Archive& list) override {
    list(step_, inertia_, epochs_, starts_, best_inertia_, best_, converged_);
    list.check(step_ >= Step::start && step_ <= Step::end && starts_ <= settings_.restarts);
  }

 private:
  static constexpr std::uint64_t kSumEvery = 10;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  static Round round_of(const Purpose& purpose) {
    Round round;
    round.table = purpose.step < Step::start ? kNotes : kSums;
    round.argument = Argument(purpose);
    round.open = round.table == kSums;
    round.ends_epoch = purpose.step == Step::look;
    return round;
  }
  void end_epoch(const Note& all) {
    const bool fell_little = inertia_ - all.inertia < settings_.tolerance * inertia_;
    const bool settled = all.candidates.empty() && (all.moved == 0 || (settings_.tolerance > 0 && fell_little));
    to_move_ = all.moved;
    inertia_ = all.inertia;
    ++epochs_;
    if (step_ == Step::recall)
      step_ = Step::end;
    else if (step_ != Step::change && (settled || epochs_ >= settings_.most_epochs))
      end_start(settled);
    else
      step_ = settled || epochs_ + 1 >= settings_.most_epochs || epochs_ % kSumEvery == 0 ? Step::sum : Step::change;
  }
  void end_start(bool settled) {
    best_ = inertia_ < best_inertia_;
    if (best_) {
      best_inertia_ = inertia_;
      converged_ = settled;
    }
    inertia_ = kInfinity;
    epochs_ = 0;
    step_ = ++starts_ < settings_.restarts ? Step::start : best_ ? Step::end : Step::recall;
  }

  Settings settings_;
  Step step_ = Step::start;          // of the epoch's round of sums
  std::uint32_t round_ = 0;          // the next one of the epoch
  double inertia_ = kInfinity;       // after the last epoch of this start
  std::uint64_t epochs_ = 0;         // of this start
  std::uint32_t starts_ = 0;         // that have ended
  double best_inertia_ = kInfinity;  // of all of them
  bool best_ = false;                // whether it is that of the last one
  bool converged_ = false;           // whether the best one did
  std::uint64_t to_move_ = 0;
};

// ---- push

// The rows as centres of one member each.
Centres centres_at(std::span<const Candidate> rows, std::uint64_t columns) {
  const std::size_t width = rows.size();
  std::vector<double> table((columns + 1) * width);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t e = 0; e < rows[i].columns.size(); ++e) table[rows[i].columns[e] * width + i] = rows[i].values[e];
    table[columns * width + i] = 1;
  }
  return {std::move(table), static_cast<std::uint32_t>(width)};
}

// What the shards of a process share.  The first one that comes to a round makes what all of them need.  Between two
// rounds that make something there is always a push of all shards, so that none still needs what was made before.
struct SharedCentres {
  std::uint32_t clusters = 0;
  std::uint64_t columns = 0;
  std::optional<Centres> centres;          // in a start the rows that were drawn last, then the starting centres
  std::vector<Candidate> drawn, starting;  // these rows; those that were chosen

  template <typename Make>
  void once(std::pair<RoundId, std::uint64_t> round_and_version, Make make) {
    const std::scoped_lock lock(mutex);
    if (std::exchange(made_in, round_and_version) != round_and_version) make();
  }
  std::mutex mutex;
  std::pair<RoundId, std::uint64_t> made_in = {0, 0};  // rounds count from 1
};

class KmeansPush final : public SharedPush {
 public:
  KmeansPush(ShardId shard, io::SparseMatrix rows, std::shared_ptr<SharedCentres> shared)
      : shard_(shard), rows_(std::move(rows)), shared_(std::move(shared)), weight_(rows_.rows) {
    for (std::uint64_t r = 0; r < rows_.rows; ++r) squares_.push_back(square_of(rows_[r]));
    state_.cluster.resize(rows_.rows);
    state_.nearest = {state_.cluster, squares_};  // until the first epoch
  }

  std::uint64_t items() const override { return rows_.rows; }
  void facts(Facts& facts) const override { facts.largest("columns", static_cast<double>(shared_->columns)); }
  void attach(const Shape& shape) override { sums_ = shape.views[kSums]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const auto purpose = task.argument.as<Purpose>();
    if (purpose.step >= Step::start)
      move(purpose.step, task);
    else
      write_fields(task.note, purpose.step == Step::draw     ? draw(purpose, random)
                              : purpose.step == Step::choose ? weigh()
                                                             : look(task.round));
    return rows_.rows;
  }
  void refresh(const Commit& commit) override {
    const auto purpose = commit.argument.as<Purpose>();
    if (purpose.step > Step::look) return;
    Note all = read_fields<Note>(commit.reply);
    if (purpose.step == Step::draw)
      shared_->once({commit.round, sums_.version()}, [&] {
        if (purpose.cluster == 0) shared_->starting.clear();
        shared_->centres.emplace(centres_at(all.candidates, shared_->columns));
        shared_->drawn = std::move(all.candidates);
      });
    else if (purpose.step == Step::choose)
      choose(commit.round, purpose.cluster, all.potentials);
    else
      relocate(all.candidates);
  }
  void evaluate(Terms terms) const override { terms["inertia"] += state_.nearest.inertia; }

  void state(Archive& list) override {
    list(state_);
    const auto of_rows = [&](const std::vector<std::uint32_t>& clusters) {
      return clusters.size() == rows_.rows &&
             std::ranges::all_of(clusters, [&](std::uint32_t k) { return k < shared_->clusters; });
    };
    list.check(of_rows(state_.nearest.cluster) && state_.nearest.distance.size() == rows_.rows &&
               of_rows(state_.cluster) && (state_.best.empty() || of_rows(state_.best)) &&
               std::ranges::all_of(state_.relocated, [&](const auto& each) {
                 return each.first < rows_.rows && each.second < shared_->clusters;
               }));
  }
  bool restores_in_place() const override { return true; }

 private:
  // Rows in proportion to their weights, without replacement: those of the smallest keys -log(u) / weight, where u is
  // uniform (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", Information Processing Letters 2006;
  // theirs is u^(1/weight), the largest).  Every shard draws for its own rows, and the smallest keys overall win.
  Note draw(const Purpose& purpose, Random& random) {
    if (purpose.cluster == 0) {  // another start
      if (purpose.best) state_.best = state_.cluster;
      state_.relocated.clear();
      weight_.assign(rows_.rows, 1);
    }
    std::vector<double> keys;
    for (const double weight : weight_) {
      const double size = -std::log1p(-random.uniform());
      keys.push_back(weight > 0 ? size / weight : std::numeric_limits<double>::infinity());
    }
    Note note{.wanted = purpose.rows};
    for (const std::uint32_t r : io::largest(keys.size(), note.wanted, [&](std::uint32_t i) { return -keys[i]; })) {
      const auto [columns, values] = rows_[r];
      note.candidates.push_back({keys[r], 0, r, {columns.begin(), columns.end()}, {values.begin(), values.end()}});
    }
    return note;
  }
  // How good a centre each of the drawn rows is.
  Note weigh() const {
    Note note;
    const std::uint32_t drawn = shared_->centres->clusters();
    std::vector<double> distances(drawn);
    note.potentials.resize(drawn);
    for (std::uint64_t r = 0; drawn > 1 && r < rows_.rows; ++r) {
      shared_->centres->distances(rows_[r], squares_[r], distances);
      for (std::uint32_t i = 0; i < drawn; ++i) note.potentials[i] += std::min(weight_[r], distances[i]);
    }
    return note;
  }
  void choose(RoundId round, std::uint32_t cluster, const std::vector<double>& potentials) {
    const auto i = static_cast<std::uint32_t>(std::ranges::min_element(potentials) - potentials.begin());
    const bool last = cluster + 1 == shared_->clusters;
    shared_->once({round, sums_.version()}, [&] {
      shared_->starting.push_back(shared_->drawn.at(i));
      if (last) shared_->centres.emplace(centres_at(std::exchange(shared_->starting, {}), shared_->columns));
    });
    // The next rows are drawn by the squared distance to the nearest existing centre.
    for (std::uint64_t r = 0; !last && r < rows_.rows; ++r) {
      const double distance = shared_->centres->distance(rows_[r], i);
      weight_[r] = cluster == 0 ? distance : std::min(weight_[r], distance);
    }
  }

  // Every row moves to its nearest centre, or where it is relocated.  If the sums change, parts have only the changes:
  // a row leaves the sums and the count of its old cluster, and enters those of the new one.
  void move(Step step, const SharedTask& task) {
    if (step == Step::start) state_.nearest = assign(rows_, squares_, *shared_->centres);
    std::vector<std::uint32_t> target = step == Step::recall ? state_.best : state_.nearest.cluster;
    if (step != Step::recall)
      for (const auto& [row, cluster] : state_.relocated) target[row] = cluster;
    for (std::uint64_t r = 0; r < target.size(); ++r) {
      const std::uint32_t to = target[r], from = std::exchange(state_.cluster[r], to);
      if (step == Step::change && from == to) continue;
      const auto add = [&](Key key, double x) {
        const std::span<double> part = task.parts[key];
        if (step == Step::change) part[from] -= x;
        part[to] += x;
      };
      const auto [columns, values] = rows_[r];
      for (std::size_t e = 0; e < columns.size(); ++e) add(columns[e], values[e]);
      add(sums_.keys() - 1, 1);
    }
  }
  Note look(RoundId round) {
    shared_->once({round, sums_.version()}, [&] {
      shared_->centres.emplace(sums_.numbers(), shared_->clusters);
      shared_->drawn = {};
    });
    state_.nearest = assign(rows_, squares_, *shared_->centres);
    Note note{.wanted = static_cast<std::uint32_t>(shared_->centres->empty().size()),
              .inertia = state_.nearest.inertia};
    for (std::uint64_t r = 0; r < rows_.rows; ++r) note.moved += state_.nearest.cluster[r] != state_.cluster[r] ? 1 : 0;
    for (const std::uint32_t r : farthest(state_.nearest, *shared_->centres))
      note.candidates.push_back({.key = -state_.nearest.distance[r], .row = r});
    return note;
  }
  // The farthest row moves to the first empty cluster, and so on.
  void relocate(std::span<const Candidate> won) {
    const std::vector<std::uint32_t>& empty = shared_->centres->empty();
    state_.relocated.clear();
    for (std::size_t i = 0; i < std::min(won.size(), empty.size()); ++i)
      if (won[i].shard == shard_) state_.relocated.emplace_back(won[i].row, empty[i]);
  }

  ShardId shard_;
  io::SparseMatrix rows_;
  std::vector<double> squares_;  // of each row
  std::shared_ptr<SharedCentres> shared_;
  TableView sums_;
  std::vector<double> weight_;  // of each row in the next draw
  ShardState state_;
};

// ---- pull

class KmeansPull final : public Pull {
 public:
  void pull(const PullTask& task) override {
    if (task.table == kNotes)
      write_fields(task.reply, combined(task.notes));
    else
      task.argument.as<Purpose>().step == Step::change ? add_.pull(task) : assign_.pull(task);
  }

 private:
  // Sums in the order of the shards, and the candidates with the smallest keys, the smallest first; of equal ones that
  // of the first shard, and of its first row.
  static Note combined(std::span<const Bytes> notes) {
    Note all;
    for (ShardId shard = 0; shard < notes.size(); ++shard) {
      Note note = read_fields<Note>(notes[shard]);
      all.wanted = note.wanted;
      all.moved += note.moved;
      all.inertia += note.inertia;
      all.potentials.resize(note.potentials.size());
      for (std::size_t i = 0; i < note.potentials.size(); ++i) all.potentials[i] += note.potentials[i];
      for (Candidate& each : note.candidates) {
        each.shard = shard;
        all.candidates.push_back(std::move(each));
      }
    }
    std::ranges::stable_sort(all.candidates, {}, &Candidate::key);
    if (all.candidates.size() > all.wanted) all.candidates.resize(all.wanted);
    return all;
  }

  AddPull add_;
  AssignPull assign_;
};

// ---- app

struct Data : io::SparseMatrix {
  std::uint64_t items() const { return rows; }
  bool fits(const io::RowsSize& all, const Job& job, ShardId shard) const {
    return rows == dealt_to(shard, all.rows, job.shards) && columns <= all.columns &&
           std::ranges::all_of(values, [](double x) { return std::abs(x) <= kValues.most; });
  }
};

class Kmeans final : public PackedApp<io::RowsSize, Data> {
 public:
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
    if (loaded.common.rows < settings_.clusters)
      throw UsageError("the data has " + std::to_string(loaded.common.rows) +
                       " rows, fewer than --clusters=" + std::to_string(settings_.clusters));
    names_ = std::move(loaded.common.names);
    const auto shared = std::make_shared<SharedCentres>();
    shared->clusters = settings_.clusters;
    shared->columns = loaded.common.columns;
    std::vector<std::unique_ptr<Push>> pushes;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      pushes.push_back(std::make_unique<KmeansPush>(hosted[i], std::move(loaded.hosted[i]), shared));
    return pushes;
  }
  std::vector<Table> tables(const Facts& facts) const override {
    const std::uint32_t clusters = settings_.clusters;
    return {{.name = "sums",
             .keys = facts.count("columns") + 1,
             .row_width = clusters,
             .part_width = clusters,
             .dense = true,
             .sized_by = "clusters"},
            {.name = "talk", .keys = 1, .row_width = 1, .single_partition = true}};
  }
  void save_common(Writer& out) const override { write_fields(out, names_); }
  std::vector<Term> terms() const override { return {{"inertia", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<KmeansSchedule>(settings_);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<KmeansPull>(); }

 private:
  Settings settings_;
  std::vector<std::string> names_;
};

}  // namespace
}  // namespace rota::kmeans

using rota::kmeans::Kmeans;
ROTA_APP(
    Kmeans, .name = "kmeans", .summary = "k-means clustering: Lloyd's algorithm from a k-means++ start",
    .items = "rows", .options = rota::declared_options<rota::kmeans::Settings>(),
    .epochs = 0,  // the schedule ends the job
    .packed_format = 3, .packed_options = rota::io::kRowOptions,
    .check = [](const rota::Options& chosen) { (void)rota::kmeans::checked_settings(chosen); },
    .framework_needs = rota::kSynchronous, .export_text = rota::kmeans::export_text,
    .commands = rota::kmeans::commands());
