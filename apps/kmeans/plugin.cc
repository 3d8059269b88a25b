// apps/kmeans/plugin.cc -- Lloyd's k-means as rounds.  README.md has the mathematics, and the messages.
#include "rota/plugin.h"

#include <numeric>
#include <utility>

#include "apps/kmeans/commands/commands.h"
#include "apps/kmeans/commands/export.h"
#include "apps/kmeans/packed_rows.h"
#include "apps/kmeans/progress.h"
#include "apps/kmeans/settings.h"
#include "apps/kmeans/shard.h"

namespace rota::kmeans {
namespace {

// Of a round of sums.
Step step_of(std::span<const double> argument) {
  return static_cast<Step>(argument[0]);
}

class KmeansSchedule final : public SavesFields<Schedule, KmeansSchedule> {
 public:
  explicit KmeansSchedule(const Settings& settings) : settings_(settings) {}

  // No choice depends on feedback, so rounds may be in flight; their pushes wait for the commits before them.
  std::uint32_t pipeline(std::uint32_t wish) const override { return wish > 0 ? wish : 16; }
  Feedback wish() const override { return Feedback::reply; }
  Round next(Random&) override {
    Round round;
    round.table = kTalk;
    if (progress_.step() == Step::start && started_ < settings_.clusters) {
      start(round.argument);
    } else if (std::exchange(moves_next_, false)) {  // Lloyd's step: rows move to their nearest centres
      round.table = kSums;
      round.open = true;
      round.argument = {static_cast<double>(progress_.step())};
    } else {  // finds the rows nearest to the new centres, and the inertia
      round.ends_epoch = moves_next_ = true;
      started_ = 0;
    }
    return round;
  }
  void feedback(const Commit& commit) override {
    if (commit.table == kTalk && commit.argument.empty()) progress_.add(read_fields<Talk>(commit.reply));
  }
  std::vector<Figure> figures() override {
    return {{"rows_to_move", static_cast<double>(progress_.to_move())},
            {"starts_ended", static_cast<double>(progress_.starts())}};
  }
  bool may_end_job() const override { return true; }
  bool ends_job() override { return progress_.step() == Step::end; }
  std::optional<bool> converged() const override { return progress_.converged(); }
  void fields(auto& list) { list(progress_); }

 private:
  // One round after the other: rows are drawn for the next cluster, and unless they are all that are wanted, one of
  // them is chosen.
  void start(Argument& argument) {
    const std::uint32_t count = !settings_.plusplus ? settings_.clusters : started_ == 0 ? 1 : draws_of(settings_);
    const bool all = started_ == 0 && count == settings_.clusters;
    argument = {static_cast<double>(started_)};
    if (!drawn_) argument.push_back(count);
    if (all || drawn_) started_ += all ? count : 1;
    drawn_ = !all && !drawn_;
  }

  Settings settings_;
  Progress progress_{settings_};
  std::uint32_t started_ = 0;  // clusters whose starting centre was drawn or chosen in this epoch
  bool drawn_ = false;         // whether rows were drawn for the next of them
  bool moves_next_ = true;
};

class KmeansPush final : public SharedPush {
 public:
  KmeansPush(Shard shard, std::shared_ptr<SharedCentres> all) : shard_(std::move(shard)), all_(std::move(all)) {}

  std::uint64_t items() const override { return shard_.size(); }
  void facts(Facts& facts) const override { facts.largest("columns", static_cast<double>(all_->columns())); }
  void attach(const Shape& shape) override { sums_ = &shape.views[kSums]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (task.table == kSums)
      move(step_of(task.argument), task.parts);
    else if (task.argument.size() == 2)
      write_fields(task.note, shard_.propose(to_count(task.argument[0]), to_count(task.argument[1]), random));
    else
      write_fields(task.note, task.argument.empty() ? shard_.look(centres()) : shard_.weigh());
    return shard_.size();
  }
  void refresh(const Commit& commit) override {
    if (commit.table == kSums) return;
    const Talk all = read_fields<Talk>(commit.reply);
    if (commit.argument.empty())
      shard_.relocate(all, *centres());
    else if (commit.argument.size() == 2)
      shard_.drawn({commit.round, sums_->version()}, to_count(commit.argument[0]), all);
    else
      shard_.choose(to_count(commit.argument[0]), all);
  }
  void evaluate(Terms terms) const override { terms[0] += shard_.assignment(centres()).inertia; }
  void save(Writer& out) const override { shard_.save(out, centres()); }
  void restore(Reader& in) override { shard_.restore(in); }
  bool restores_in_place() const override { return true; }

 private:
  std::shared_ptr<const Centres> centres() const { return all_->at(sums_->version(), sums_->numbers()); }

  // Of the sums that change, writes only the changes: a row leaves the sums and the count of its old cluster, and
  // enters those of the new one.
  void move(Step step, const OpenParts& parts) {
    shard_.move(step, centres(), [&](const Row& row, std::uint32_t from, std::uint32_t to) {
      const auto change = [&](Key key, double x) {
        const std::span<double> part = parts[key];
        if (from != kNone) part[from] -= x;
        part[to] += x;
      };
      for (std::size_t e = 0; e < row.columns.size(); ++e) change(row.columns[e], row.values[e]);
      change(sums_->keys() - 1, 1);
    });
  }

  Shard shard_;
  std::shared_ptr<SharedCentres> all_;
  const TableView* sums_ = nullptr;
};

class KmeansPull final : public Pull {
 public:
  void pull(const PullTask& task) override {
    if (task.table == kTalk)
      write_fields(task.reply, Talk::combined(task.notes));
    else
      step_of(task.argument) == Step::change ? add_.pull(task) : assign_.pull(task);
  }

 private:
  AddPull add_;
  AssignPull assign_;
};

class Kmeans final : public App {
 public:
  explicit Kmeans(const Job& job) : job_(job), settings_(checked_settings(job.options)) {}

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    RowShards data = job_.packed == nullptr ? read_shards(job_.input, job_.shards, hosted, settings_.form)
                                            : unpack_shards(*job_.packed, job_.shards, hosted);
    check_rows(settings_, data.size.rows);
    names_ = data.size.names;
    const auto all = std::make_shared<SharedCentres>(data.size.columns, settings_.clusters);
    std::vector<std::unique_ptr<Push>> out;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      out.push_back(std::make_unique<KmeansPush>(Shard(hosted[i], std::move(data.hosted[i]), all), all));
    return out;
  }
  void pack(DataPacker& out) override {
    std::vector<ShardId> all(job_.shards);
    std::iota(all.begin(), all.end(), ShardId{0});
    pack_shards(read_shards(job_.input, job_.shards, all, settings_.form), out);
  }
  std::vector<Table> tables(const Facts& facts) const override { return tables_of(settings_, facts.count("columns")); }
  void save_common(Writer& out) const override { write_fields(out, names_); }
  std::vector<Term> terms() const override { return {{"inertia", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<KmeansSchedule>(settings_);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<KmeansPull>(); }

 private:
  const Job& job_;
  Settings settings_;
  std::vector<std::string> names_;  // of the columns, if the input has them
};

Plugin plugin() {
  return {.name = "kmeans",
          .summary = "k-means clustering: Lloyd's algorithm from a k-means++ start",
          .items = "rows",
          .options = declared_options<Settings>(),
          .epochs = 0,  // the schedule ends the job
          .packed_format = 2,
          .packed_options = io::kRowOptions,
          .check = [](const Options& chosen) { (void)checked_settings(chosen); },
          .framework_needs = kSynchronous,
          .app = [](const Job& job) { return std::unique_ptr<App>(new Kmeans(job)); },
          .export_text = export_text,
          .commands = commands()};
}

}  // namespace
}  // namespace rota::kmeans

ROTA_PLUGIN(rota::kmeans::plugin);
