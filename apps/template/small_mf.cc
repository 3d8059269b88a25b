// A small matrix factorisation: r_ui ~ p_u . q_i by stochastic gradient descent.  The input has lines "USER ITEM
// RATING", users and items numbered from 0.  Users, with their factors p, belong to shards; items, with their factors
// q, are in slices, which pass from shard to shard (rota/schedules/rotation.h).  Held-out ratings (--valid) are lines
// of the same form.
#include <rota/dense_slice.h>
#include <rota/io/line_fields.h>
#include <rota/io/lines.h>
#include <rota/plugin.h>
#include <rota/schedules/rotation.h>
#include <rota/shards.h>

#include <cmath>
#include <ostream>
#include <unordered_map>

namespace {
using namespace rota;
using Factors = DenseSlice<double>;  // a row for each item of the slice

struct Rating {
  std::size_t user, item;  // user: its number in the shard; item: its row in the slice, once that is known
  double value;
};

struct Settings {
  std::size_t rank = 8;
  double step = 0.02, penalty = 0.02;
  void options(auto& list) {
    list.number("rank", rank, "factors", 1, 4096, "Factors of a user and of an item.");
    list.number("step", step, "", 0, 1, "The size of a step.");
    list.number("penalty", penalty, "", 0, 1e6, "The penalty of squared factors.");
  }
};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
void draw(std::span<double> factors, std::size_t rank, Random& random) {
  for (double& one : factors) one = random.uniform() / std::sqrt(static_cast<double>(rank));
}

// Owns its users' factors.
class MfPush final : public SlicePush<Factors> {
 public:
  MfPush(const Settings& settings, std::vector<Rating> ratings, std::vector<Rating> held_out)
      : settings_(settings), ratings_(std::move(ratings)), held_out_(std::move(held_out)) {
    std::size_t users = 0;
    for (const Rating& one : ratings_) users = std::max(users, one.user + 1);
    users_.resize(users * settings_.rank);
  }
  std::uint64_t items() const override { return ratings_.size(); }
  // The cost of an item is its number of ratings; slices of equal cost are cut from that.
  void census(Census& weight) const override {
    for (const Rating& one : ratings_) {
      weight.resize(std::max(weight.size(), one.item + 1));
      ++weight[one.item];
    }
  }
  void attach(const Shape& shape) override {
    trained_by_slice_ = by_slice(ratings_, shape.cut);
    held_out_by_slice_ = by_slice(held_out_, shape.cut);
  }
  void start(Random& own, Random&) override { draw(users_, settings_.rank, own); }

  // This shard's ratings of the slice's items: one step of gradient descent for each.
  std::uint64_t push(const SliceTask& task, Factors& items, Random&) override {
    for (const Rating& one : trained_by_slice_[task.slice]) {
      const std::span<double> p = std::span(users_).subspan(one.user * settings_.rank, settings_.rank);
      const std::span<double> q = items.row(one.item);
      const double error = one.value - dot(p, q);
      for (std::size_t k = 0; k < settings_.rank; ++k) {
        const double old = p[k];
        p[k] += settings_.step * (error * q[k] - settings_.penalty * p[k]);
        q[k] += settings_.step * (error * old - settings_.penalty * q[k]);
      }
    }
    return trained_by_slice_[task.slice].size();
  }
  // An evaluation brings all slices here once more, read-only.
  void evaluate_visit(SliceId slice, const Factors& items, Terms terms) const override {
    terms["squares"] += squared_errors(trained_by_slice_[slice], items);
    if (held_out_.empty()) return;  // no term, if the job has none
    terms["valid_squares"] += squared_errors(held_out_by_slice_[slice], items);
    terms["valid_ratings"] += static_cast<double>(held_out_by_slice_[slice].size());
  }
  void state(Archive& list) override { list(users_); }

 private:
  using BySlice = std::vector<std::vector<Rating>>;
  // The ratings of users and items in the training data.
  BySlice by_slice(const std::vector<Rating>& ratings, const Cut& cut) const {
    std::unordered_map<Key, std::pair<SliceId, std::size_t>> place;  // of each item
    for (SliceId b = 0; b < cut.slices.size(); ++b)
      for (std::size_t row = 0; row < cut.slices[b].size(); ++row) place[cut.slices[b][row]] = {b, row};
    BySlice sorted(cut.slices.size());
    for (const Rating& one : ratings)
      if (const auto found = place.find(one.item); found != place.end() && one.user * settings_.rank < users_.size())
        sorted[found->second.first].push_back({one.user, found->second.second, one.value});
    return sorted;
  }
  double squared_errors(const std::vector<Rating>& ratings, const Factors& items) const {
    double sum = 0;
    for (const Rating& one : ratings) {
      const auto p = std::span(users_).subspan(one.user * settings_.rank, settings_.rank);
      const double error = one.value - dot(p, items.row(one.item));
      sum += error * error;
    }
    return sum;
  }

  Settings settings_;
  std::vector<Rating> ratings_, held_out_;
  BySlice trained_by_slice_, held_out_by_slice_;
  std::vector<double> users_;  // factors, user after user
};

class Mf final : public App {
 public:
  using Settings = ::Settings;  // whose options ROTA_APP declares
  explicit Mf(const Job& job) : job_(job), settings_(settings_of<Settings>(job.options)) {}

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto ratings = read(job_.input, hosted), held_out = read(job_.valid, hosted);
    std::vector<std::unique_ptr<Push>> out;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      out.push_back(std::make_unique<MfPush>(settings_, std::move(ratings.all()[i]), std::move(held_out.all()[i])));
    return out;
  }
  std::vector<Table> tables(const Facts&) const override { return {{.name = "items", .kind = Table::Kind::sliced}}; }
  bool evaluating_pass() const override { return true; }
  std::vector<Term> terms() const override {
    std::vector<Term> terms = {{"squares", Term::Kind::objective}};
    if (job_.options.has("valid")) terms.insert(terms.end(), {{"valid_squares"}, {"valid_ratings"}});
    return terms;
  }
  std::vector<Score> scores() const override {
    const auto rmse = Score::Scale::root_mean;
    std::vector<Score> scores = {{.name = "rmse", .term = "squares", .scale = rmse}};
    if (job_.options.has("valid"))
      scores.push_back({"valid_rmse", "valid_squares", "valid_ratings", rmse, Score::Better::smaller, true});
    return scores;
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<RotationSchedule>(job_);
  }
  std::unique_ptr<Slice> slice(std::span<const Key> items) const override {
    return std::make_unique<Factors>(items.size(), settings_.rank);
  }
  void start(const Facts&, SliceId, Slice& slice, std::span<const Key>, Random& random) const override {
    auto& items = dynamic_cast<Factors&>(slice);
    for (std::size_t i = 0; i < items.rows(); ++i) draw(items.row(i), settings_.rank, random);
  }

 private:
  // User u is number u / S of shard u mod S: a rule that depends on the job alone.
  HostedShards<std::vector<Rating>> read(const std::vector<std::string>& files, std::span<const ShardId> hosted) const {
    HostedShards<std::vector<Rating>> shards(job_.shards, hosted);
    for (const std::string& file : files) {
      io::Lines lines(file);  // plain, .gz, .bz2, .xz or .zst
      Rating one{};
      for (std::string_view line; lines.next(line);) {
        if (!io::read_line(line, one.user, one.item, one.value))
          lines.fail("expected USER ITEM RATING, found " + io::quoted(line));
        if (auto* const ratings = shards.of_item(one.user))
          ratings->push_back({shards.number_in_shard(one.user), one.item, one.value});
      }
    }
    return shards;
  }

  const Job& job_;
  Settings settings_;
};

// The factors of all items, a line each.
void show(const Call& call, std::ostream& out) {
  const std::size_t rank = settings_of<Settings>(call.model->job().options).rank;
  for (SliceId b = 0; b < call.model->cut().slices.size(); ++b) {
    const std::vector<Key>& keys = call.model->cut().slices[b];
    Factors items(keys.size(), rank);
    const Bytes bytes = call.model->slice(b);
    Reader in(bytes.view());
    items.decode(in);
    if (!in.done()) throw DataError("model", 0, "the items are not of this app");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      out << keys[i];
      for (const double factor : items.row(i)) out << ' ' << factor;
      out << '\n';
    }
  }
}

constexpr Command kCommands[] = {{"show", "Prints the items' factors.", {}, show}};
}  // namespace

ROTA_APP(Mf, .name = "small_mf", .summary = "Matrix factorisation by stochastic gradient descent.", .items = "ratings",
         .commands = kCommands);
