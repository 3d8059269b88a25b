// apps/kmeans/push.cc -- the second step: a shard draws rows, finds their nearest centres, and moves them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "apps/kmeans/bounds.h"
#include "apps/kmeans/hooks.h"
#include "rota/io/number_list.h"
#include "rota/io/report_text.h"
#include "rota/once_per_version.h"

namespace rota::kmeans {
namespace {

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

}  // namespace

std::vector<std::unique_ptr<Push>> kmeans_pushes(const Settings& settings, std::uint64_t columns,
                                                 std::span<const ShardId> hosted, std::vector<Data> rows) {
  const auto shared = std::make_shared<SharedCentres>();
  std::shared_ptr<const std::vector<Candidate>> given;
  if (!settings.centres.empty())
    given = std::make_shared<const std::vector<Candidate>>(given_centres(settings.centres, settings.clusters, columns));
  const bool inertia = settings.tolerance > 0 || settings.restarts > 1;
  std::vector<std::unique_ptr<Push>> pushes;
  for (std::size_t i = 0; i < hosted.size(); ++i)
    pushes.push_back(
        std::make_unique<KmeansPush>(hosted[i], std::move(rows[i]), settings.clusters, inertia, shared, given));
  return pushes;
}

}  // namespace rota::kmeans
