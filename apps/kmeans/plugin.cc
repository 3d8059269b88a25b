// apps/kmeans/plugin.cc -- Lloyd's k-means as rounds.  README.md has the mathematics, and the rounds.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "apps/kmeans/bounds.h"
#include "apps/kmeans/commands.h"
#include "rota/io/number_list.h"
#include "rota/io/report_text.h"
#include "rota/once_per_version.h"
#include "rota/packed_app.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

constexpr TableId kNotes = 1;  // no row is ever used: its rounds have notes and replies

enum class Step : std::uint8_t {
  draw,    // rows are drawn as the next centre, or at random as all centres
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
  std::uint32_t rows = 0;  // to draw
  bool first = false;      // to draw: whether a start begins
  bool best = false;       // to draw first: whether the start before is the best so far
  bool inertia = false;    // to look: whether it is needed

  void fields(auto& list) { list(step, rows, first, best, inertia); }
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

// Of one shard; pull replies the same for all shards together.
struct Note {
  std::vector<Candidate> candidates = {};
  // For each of the drawn rows: the sum of all rows' squared distances to the nearest centre if the row were one.
  std::vector<double> potentials = {};
  std::uint32_t chosen = 0;                  // of the drawn rows, in the reply
  std::uint64_t moved = 0;                   // rows whose nearest centre is not that of their cluster
  double inertia = 0;                        // if it is needed
  double largest = 0;                        // |x|^2 of the rows that are to move, and |S_k|^2 of the clusters
  double least = 0;                          // |S_k|^2 of the clusters
  std::vector<std::uint32_t> changing = {};  // clusters that rows are to leave or enter, ascending

  void fields(auto& list) { list(candidates, potentials, chosen, moved, inertia, largest, least, changing); }
};

// ---- schedule

// A start ends when every row is nearest to the centre of its own cluster, or, if there is a tolerance, when an epoch
// has lowered the inertia by less than this share of it; but not while there is a row for an empty cluster.
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
    return {{"rows_to_move", static_cast<double>(to_move_)}, {"starts_ended", static_cast<double>(starts_)}};
  }

  Round next(Random&) override {
    if (epoch_.empty()) begin_epoch();
    Round round;
    round.argument = Argument(epoch_.front());
    round.open = epoch_.front().step >= Step::start;
    round.table = round.open ? kSums : kNotes;
    epoch_.pop_front();
    round.ends_epoch = epoch_.empty();
    return round;
  }
  void feedback(const Commit& commit) override {
    if (commit.argument.as<Purpose>().step != Step::look) return;
    const auto all = read_fields<Note>(commit.reply);
    const bool fell_little = inertia_ - all.inertia < settings_.tolerance * inertia_;
    const bool settled = all.candidates.empty() && (all.moved == 0 || (settings_.tolerance > 0 && fell_little));
    to_move_ = all.moved;
    inertia_ = all.inertia;
    ++epochs_;
    const bool fresh = step_ != Step::change;
    if (fresh) largest_ = 0;
    const auto is_sound = [&] { return settings_.restarts == 1 && largest_ <= kLargest * all.least; };
    const bool sound = fresh || is_sound();
    largest_ = std::max(largest_, all.largest);
    if (step_ == Step::recall)
      step_ = Step::end;
    else if ((settled && sound) || epochs_ >= settings_.most_epochs)
      end_start(settled);
    else if (is_sound())
      step_ = Step::change;
    else
      step_ = settled || epochs_ + 1 >= settings_.most_epochs || epochs_ % kSumEvery == 0 ? Step::sum : Step::change;
  }
  void state(Archive& list) override {
    list(step_, inertia_, epochs_, largest_, starts_, best_inertia_, best_, converged_);
    list.check(step_ >= Step::start && step_ <= Step::end && starts_ <= settings_.restarts);
  }

 private:
  static constexpr std::uint64_t kSumEvery = 10;
  static constexpr double kLargest = 0x1p40;  // of squares

  // The rounds of a start, one of sums, and a look.
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
    epoch_.push_back({step_});
    epoch_.push_back({.step = Step::look, .inertia = settings_.tolerance > 0 || settings_.restarts > 1});
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
  std::deque<Purpose> epoch_;        // its rounds that are still to come
  Step step_ = Step::start;          // of the epoch's round of sums
  double inertia_ = kInfinity;       // after the last epoch of this start
  std::uint64_t epochs_ = 0;         // of this start
  double largest_ = 0;               // Note::largest since all rows were summed
  std::uint32_t starts_ = 0;         // that have ended
  double best_inertia_ = kInfinity;  // of all of them
  bool best_ = false;                // whether it is that of the last one
  bool converged_ = false;           // whether the best one did
  std::uint64_t to_move_ = 0;
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
  // `given`: the first centres, if they are not drawn.
  KmeansPush(ShardId shard, io::SparseMatrix rows, std::uint32_t clusters, std::shared_ptr<SharedCentres> shared,
             std::shared_ptr<const std::vector<Candidate>> given)
      : shard_(shard),
        clusters_(clusters),
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
    if (task.table == kSums)
      move(purpose.step, task);
    else
      write_fields(task.note, purpose.step == Step::draw     ? draw(purpose, random)
                              : purpose.step == Step::choose ? weigh()
                                                             : look(task.round, purpose.inertia));
    return rows_.rows;
  }
  void refresh(const Commit& commit) override {
    if (commit.table == kSums) return;
    const auto all = read_fields<Note>(commit.reply);
    if (commit.argument.as<Purpose>().step == Step::look) {  // the farthest row goes to the first empty cluster, ...
      if (all.candidates.empty()) changed_ = all.changing;
      for (std::size_t i = 0; i < std::min(all.candidates.size(), centres_->empty().size()); ++i)
        if (all.candidates[i].shard == shard_) state_.at(all.candidates[i].row).target = centres_->empty()[i];
    } else if (const auto purpose = commit.argument.as<Purpose>();
               !all.candidates.empty() &&
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
      changed_.reset();
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
  void move(Step step, const SharedTask& task) {
    if (step == Step::start) assign();
    if (step != Step::change) changed_.reset();
    const std::uint32_t width = sums_.width();
    for (std::uint64_t r = 0; r < rows_.rows; ++r) {
      const std::uint32_t to = step == Step::recall ? state_[r].best : state_[r].target;
      const std::uint32_t from = std::exchange(state_[r].cluster, to);
      if (step == Step::change && from == to) continue;
      const auto number = [&](std::uint64_t column, std::uint32_t k) -> double& {
        return task.parts[column * (clusters_ / width) + k / width][k % width];
      };
      const auto add = [&](std::uint64_t column, double x) {
        if (step == Step::change) number(column, from) -= x;
        number(column, to) += x;
      };
      const auto [its_columns, values] = rows_[r];
      for (std::size_t e = 0; e < its_columns.size(); ++e) add(its_columns[e], values[e]);
      add(columns(), 1);
    }
  }
  Note look(RoundId round, bool inertia) {
    follow(round,
           [&](Centres& centres) { centres.begin(sums_.numbers(), clusters_, true, changed_ ? &*changed_ : nullptr); });
    changed_.reset();
    shared_->drawn.of({round, sums_.version()}, [](Centres& centres) { centres = {}; });
    assign();
    Note note;
    if (inertia || !centres_->empty().empty()) note.inertia = complete_distances();
    std::vector<char> changing(clusters_);
    for (std::uint64_t r = 0; r < rows_.rows; ++r) {
      if (state_[r].nearest == state_[r].cluster) continue;
      ++note.moved;
      note.largest = std::max(note.largest, squares_[r]);
      changing[state_[r].cluster] = changing[state_[r].nearest] = 1;
    }
    for (std::uint32_t k = 0; k < changing.size(); ++k)
      if (changing[k] != 0) note.changing.push_back(k);
    const auto [least, largest] = centres_->sums();
    note.least = least;
    note.largest = std::max(note.largest, largest);
    for (const std::uint32_t r : centres_->farthest(state_))
      note.candidates.push_back({.key = -state_[r].distance, .row = r});
    return note;
  }

  ShardId shard_;
  std::uint32_t clusters_;
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
  std::optional<std::vector<std::uint32_t>> changed_;  // clusters whose sums are others than at the last look; if known
};

// ---- pull

class KmeansPull final : public Pull {
 public:
  explicit KmeansPull(std::uint32_t clusters) : clusters_(clusters) {}

  void pull(const PullTask& task) override {
    const auto purpose = task.argument.as<Purpose>();
    if (task.table == kSums) return purpose.step == Step::change ? AddPull().pull(task) : AssignPull().pull(task);
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
      all.changing.insert(all.changing.end(), note.changing.begin(), note.changing.end());
      all.potentials.resize(note.potentials.size());
      for (std::size_t i = 0; i < note.potentials.size(); ++i) all.potentials[i] += note.potentials[i];
      for (Candidate& each : note.candidates) {
        each.shard = shard;
        all.candidates.push_back(std::move(each));
      }
    }
    std::ranges::sort(all.changing);
    all.changing.erase(std::ranges::unique(all.changing).begin(), all.changing.end());
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
    return pushes_of<KmeansPush>(loaded, hosted, settings_.clusters, std::make_shared<SharedCentres>(), given);
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
