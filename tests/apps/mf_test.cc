// tests/apps/mf_test.cc -- the factorisation app over the serial host, against plain loops, bit for bit.

#include "apps/mf/sgd/push.h"
#include "rota/numerics/seed_mixer.h"
#include "tests/apps/make_job.h"
#include "tests/apps/mf_plugins.h"
#include "tests/apps/resumed.h"
#include "tests/unit/apps/mf/plain_step.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

constexpr std::uint32_t kShards = 3, kSlices = 6, kUsers = 37, kItems = 23;

struct Raw {
  std::uint32_t user, item;
  float value;
};

// Users and items appear in the order of their numbers, so that those are the app's.
std::vector<Raw> some_ratings() {
  std::vector<Raw> out;
  for (std::uint32_t i = 0; i < kUsers; ++i) out.push_back({i, i % kItems, static_cast<float>(i % 5) + 1});
  Random random = random_from(11);
  for (int i = 0; i < 500; ++i) {
    const auto user = static_cast<std::uint32_t>(random.below(kUsers)),
               item = static_cast<std::uint32_t>(random.below(kItems));
    out.push_back({user, item, static_cast<float>((user * 7 + item * 3) % 5 + 1)});
  }
  return out;
}

class Mf : public testing::Test {
 protected:
  Job job(std::map<std::string, std::string> options) {
    std::ostringstream text;
    for (const Raw& one : ratings_) text << "u" << one.user << "\ti" << one.item << "\t" << one.value << "\n";
    options.try_emplace("rank", "20");
    choose(options.contains("app") ? options["app"] : "mf");
    return make_job(linked_plugin(), options, {files_.write("ratings", text.str())}, kShards);
  }

  ScratchFiles files_;
  std::vector<Raw> ratings_ = some_ratings();
};

// A model in plain rows, and the rounds of an epoch over them in plain loops.
class Oracle {
 public:
  Oracle(const SerialHost& host, const std::vector<Raw>& ratings, const mf::SgdSettings& settings)
      : settings_(settings), cut_(host.cut()), ratings_(ratings) {
    double sum = 0, squares = 0;
    for (const Raw& one : ratings_) sum += static_cast<double>(one.value);
    mean_ = sum / static_cast<double>(ratings_.size());
    for (const Raw& one : ratings_) squares += std::pow(static_cast<double>(one.value) - mean_, 2);
    if (settings.loss == mf::Loss::squared) deviation_ = std::sqrt(squares / static_cast<double>(ratings_.size()));
    users_move_ = settings.rotates == mf::Rotates::users;
    const SerialHost::Snapshot snapshot = host.save();
    residents_.resize(users_move_ ? kItems : kUsers);
    visitors_.resize(users_move_ ? kUsers : kItems);
    for (ShardId s = 0; s < kShards; ++s)
      take(snapshot.shards[s], (residents_.size() + kShards - 1 - s) / kShards,
           [&](std::size_t r) -> PlainRow& { return residents_[r * kShards + s]; });
    for (SliceId b = 0; b < kSlices; ++b)
      take(snapshot.slices[b], cut_.slices[b].size(),
           [&](std::size_t r) -> PlainRow& { return visitors_[cut_.slices[b][r]]; });
    for (const Raw& one : ratings_) {
      residents_[resident(one)].penalty.bias += 1;
      visitors_[visitor(one)].penalty.bias += 1;
    }
    for (auto* side : {&residents_, &visitors_})
      for (PlainRow& row : *side) {
        const double times = settings.by_rating ? 1.0 : static_cast<double>(row.penalty.bias);
        row.penalty = {static_cast<float>(settings.penalty() / deviation_ / times),
                       static_cast<float>(settings.penalty() / times)};
      }
  }

  void run(const Round& round) {
    if (round.owned.empty()) return;
    mf::Cell cell{};
    cell.rate = static_cast<float>(settings_.rate);
    cell.first_only = epoch_ == 1;
    cell.first_share = 0.125F;
    cell.others_share = 1.0F / static_cast<float>(settings_.rank - 8);
    cell.nonnegative = settings_.nonnegative;
    cell.biases = settings_.biases;
    cell.logistic = settings_.loss == mf::Loss::logistic;
    for (ShardId s = 0; s < kShards; ++s) visit(s, *round.owned[s], cell);
  }

  void expect_equal(const SerialHost& host) const {
    const mf::TrainedModel trained = model_of(host);
    const auto scale = static_cast<float>(std::sqrt(deviation_));
    for (const bool visiting : {false, true}) {
      const auto& rows = visiting ? visitors_ : residents_;
      const mf::Side& side = visiting == users_move_ ? trained.users : trained.items;
      ASSERT_EQ(rows.size(), side.size());
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t k = 0; k < settings_.rank; ++k) ASSERT_EQ(rows[r].factors[k] * scale, side.row(r)[k]) << r;
        const double bias = settings_.biases ? static_cast<double>(rows[r].tail[2]) * deviation_ : 0;
        ASSERT_EQ(bias, side.biases[r]);
      }
    }
  }
  double squares() const { return squares_; }
  void begin_epoch() {
    squares_ = 0;
    ++epoch_;
  }

 private:
  std::uint32_t resident(const Raw& one) const { return users_move_ ? one.item : one.user; }
  std::uint32_t visitor(const Raw& one) const { return users_move_ ? one.user : one.item; }

  void take(const std::vector<std::byte>& bytes, std::size_t count, const std::function<PlainRow&(std::size_t)>& row) {
    mf::FactorRows rows(count, settings_.rank, settings_.biases);
    Reader in(bytes);
    rows.decode(in);
    ASSERT_TRUE(in.ok());
    for (std::size_t r = 0; r < count; ++r) {
      const mf::RowPointers all = rows.pointers({}, nullptr);
      const std::size_t tail = settings_.biases ? 4 : 2;
      row(r).factors.assign(all.factors + r * rows.width(), all.factors + (r + 1) * rows.width());
      row(r).tail.assign(all.tails + r * tail, all.tails + (r + 1) * tail);
    }
  }
  void visit(ShardId s, SliceId b, const mf::Cell& cell) {
    const auto& keys = cut_.slices[b];
    std::vector<const Raw*> list;
    for (const Raw& one : ratings_)
      if (resident(one) % kShards == s && std::binary_search(keys.begin(), keys.end(), visitor(one)))
        list.push_back(&one);
    std::stable_sort(list.begin(), list.end(), [&](const Raw* a, const Raw* z) {
      return std::make_tuple(resident(*a), visitor(*a)) < std::make_tuple(resident(*z), visitor(*z));
    });
    const std::size_t half = (list.size() + 1) / 2;
    double sum = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Raw& one = *list[i % 2 * half + i / 2];
      const double base = settings_.biases && settings_.loss == mf::Loss::squared ? mean_ : 0;
      const double value = (static_cast<double>(one.value) - base) / deviation_;
      sum += plain_step(residents_[resident(one)], visitors_[visitor(one)], static_cast<float>(value), cell);
    }
    squares_ += sum * deviation_ * deviation_;
  }

  mf::SgdSettings settings_;
  Cut cut_;
  std::vector<Raw> ratings_;
  double mean_ = 0, deviation_ = 1, squares_ = 0;
  int epoch_ = 0;
  bool users_move_ = false;
  std::vector<PlainRow> residents_, visitors_;
};

TEST_F(Mf, EpochsAreThoseOfPlainLoops) {
  using Options = std::map<std::string, std::string>;
  for (const Options& options : {Options{{"rotate", "items"}}, Options{{"rotate", "users"}, {"biases", "true"}},
                                 Options{{"rotate", "items"}, {"nonnegative", "true"}},
                                 Options{{"rotate", "items"}, {"lambda_by", "row"}, {"biases", "true"}}}) {
    const Job task = job(options);
    MfHost host(task);
    Oracle oracle(host, ratings_, mf::sgd_settings(task.options));
    host.watch([&](const Round& round, std::uint32_t) { oracle.run(round); });
    for (int epoch = 0; epoch < 3; ++epoch) {
      oracle.begin_epoch();
      host.run_epoch();
      oracle.expect_equal(host);
      if (HasFatalFailure()) return;
      EXPECT_NEAR(host.evaluate()[0], oracle.squares(), 1e-9 * oracle.squares());
    }
  }
}

TEST_F(Mf, EpochsOfLabelsAreThoseOfPlainLoops) {
  for (Raw& one : ratings_) one.value = one.value > 3 ? 1 : 0;
  for (const char* biases : {"false", "true"}) {
    const Job task = job({{"loss", "logistic"}, {"biases", biases}, {"rotate", "items"}});
    MfHost host(task);
    Oracle oracle(host, ratings_, mf::sgd_settings(task.options));
    host.watch([&](const Round& round, std::uint32_t) { oracle.run(round); });
    for (int epoch = 0; epoch < 2; ++epoch) {
      oracle.begin_epoch();
      host.run_epoch();
    }
    oracle.expect_equal(host);
    const double before = host.evaluate()[0];
    host.run_epochs(40);
    EXPECT_LT(host.evaluate()[0], 0.8 * before);
  }
}

// As the commands score them; one is of an unknown user.
TEST_F(Mf, HeldOutLabelsAreScoredWithTheCurrentModel) {
  for (Raw& one : ratings_) one.value = one.value > 3 ? 1 : -1;
  for (const char* biases : {"false", "true"}) {
    Job task = job({{"valid", "given"}, {"loss", "logistic"}, {"biases", biases}});
    task.valid = {files_.write("valid", "u1\ti3\t1\nu7\ti5\t-1\nunknown\ti5\t1\nunknown\ti5\t0\nu30\ti22\t0\n")};
    MfHost host(task);
    host.run_epochs(4);
    const mf::TrainedModel trained = model_of(host);
    double losses = 0, right = 0;
    const auto add = [&](std::optional<std::uint32_t> user, std::uint32_t item, bool one) {
      const double p = trained.prediction(user, item);
      losses -= std::log(one ? p : 1 - p);
      right += (p > 0.5) == one ? 1 : 0;
    };
    add(1, 3, true), add(7, 5, false), add({}, 5, true), add({}, 5, false), add(30, 22, false);
    EXPECT_NEAR(*host.score("valid_log_loss"), losses / 5, 1e-6);
    EXPECT_NEAR(*host.score("valid_accuracy"), right / 5, 1e-12);
  }
}

TEST_F(Mf, LabelsThatAreAllTheSameAreRefused) {
  for (Raw& one : ratings_) one.value = 1;
  EXPECT_THROW(MfHost(job({{"loss", "logistic"}})), DataError);
}

// Users of one half use items of one half: held-out ones are ranked first among all others.
TEST_F(Mf, RanksWhatUsersLikeThemUsed) {
  ratings_.clear();
  std::ostringstream held;
  for (std::uint32_t i = 0; i < kUsers; ++i) ratings_.push_back({i, i % kItems, 1});
  for (std::uint32_t u = 0; u < kUsers; ++u)
    for (std::uint32_t i = u % 2; i < kItems; i += 2) {
      if ((u * 5 + i) % 7 == 0 && i != u % kItems) {
        held << "u" << u << "\ti" << i << "\n";
      } else {
        ratings_.push_back({u, i, 1});
      }
    }
  Job task = job({{"valid", "given"}, {"loss", "bpr"}, {"biases", "true"}, {"rank", "8"}, {"lambda", "0.01"}});
  task.valid = {files_.write("valid", held.str() + "u0\tnothing\n")};
  MfHost host(task), other(task);
  host.run_epoch();
  const double before = *host.score("valid_ndcg");
  host.run_epochs(30);
  EXPECT_GT(*host.score("valid_ndcg"), 0.9);
  EXPECT_LT(before, 0.9);
  EXPECT_GT(*host.score("valid_recall"), 0.95);
  EXPECT_EQ(host.evaluate()[5], 1);
  other.run_epochs(12);
  other.restore(other.save());
  other.run_epochs(19);
  EXPECT_EQ(host.model_hash(), other.model_hash());
}

TEST_F(Mf, LearnsWhatTheRatingsAreMadeOf) {
  MfHost host(job({{"learning_rate", "0.1"}, {"lambda", "0.01"}}));
  host.run_epoch();
  const double first = host.evaluate()[0];
  host.run_epochs(60);
  EXPECT_LT(host.evaluate()[0], 0.25 * first);
}

TEST_F(Mf, ARestoredHostContinuesAlike) {
  expect_resumed_alike(job({{"biases", "true"}}), 3, 2);
}

// As the commands score it; one rating is of an unknown user.
TEST_F(Mf, HeldOutRatingsAreScoredWithTheCurrentModel) {
  const std::string text = "u1\ti3\t2\nu7\ti5\t4.5\nunknown\ti5\t1\nu30\ti22\t3\n";
  for (const auto& [biases, rotate] : {std::pair("false", "items"), {"true", "users"}}) {
    Job task = job({{"valid", "given"}, {"biases", biases}, {"rotate", rotate}});
    task.valid = {files_.write("valid", text)};
    MfHost host(task);
    host.run_epochs(4);
    const mf::TrainedModel trained = model_of(host);
    const auto error = [&](std::uint32_t user, std::uint32_t item, double value) {
      return value - trained.score(user, item);
    };
    const double errors[] = {error(1, 3, 2), error(7, 5, 4.5), error(30, 22, 3), 1 - trained.mean};
    double squares = 0, absolute = 0;
    for (const double one : errors) squares += one * one, absolute += std::abs(one);
    EXPECT_NEAR(*host.score("valid_rmse"), std::sqrt(squares / 4), 1e-6);
    EXPECT_NEAR(*host.score("valid_mae"), absolute / 4, 1e-6);
    EXPECT_EQ(host.evaluate()[4], 1);
    EXPECT_EQ(host.score("rmse"), std::sqrt(host.evaluate()[0] / static_cast<double>(host.items())));
    Job without = task;
    without.options = job({{"biases", biases}, {"rotate", rotate}}).options;
    without.valid.clear();
    MfHost other(without);
    other.run_epochs(4);
    EXPECT_EQ(other.model_hash(), host.model_hash()) << "they do not change the model";
  }
}

const Given kScaled[] = {{{"app", "mf"}, {"learning_rate", "0.2"}},
                         {{"app", "mf"}, {"biases", "true"}},
                         {{"app", "mf"}, {"nonnegative", "true"}, {"lambda_by", "row"}},
                         {{"app", "als"}, {"rank", "4"}},
                         {{"app", "als"}, {"biases", "true"}},
                         {{"app", "als"}, {"rank", "4"}, {"nonnegative", "true"}},
                         {{"app", "ccd"}, {"rank", "4"}},
                         {{"app", "ccd"}, {"rank", "4"}, {"schedule", "round_robin"}, {"nonnegative", "true"}}};

// Ratings of rank 2, of which every ninth is held out, times `times` and plus `plus`: the held-out error in units of
// `times`, and the whole objective of squared errors and penalties in units of its square.
class MfOfAnyScale : public Mf {
 protected:
  struct Fit {
    double error, objective;
  };
  Job scaled_job(Given options, double times, double plus) {
    Random random = random_from(5);
    std::vector<double> users(2 * kUsers), items(2 * kItems);
    for (double& one : users) one = random.uniform();
    for (double& one : items) one = random.uniform();
    std::ostringstream text[2];
    for (auto& one : text) one.precision(17);
    for (std::uint32_t n = 0; n < kUsers * kItems; ++n) {
      const std::uint32_t u = n % kUsers, i = n * 7 % kItems;
      const double rating = 1 + 3 * (users[2 * u] * items[2 * i] + users[2 * u + 1] * items[2 * i + 1]);
      text[n % 9 == 4 ? 1 : 0] << "u" << u << "\ti" << i << "\t" << rating * times + plus << "\n";
    }
    options.try_emplace("rank", "20");
    options["valid"] = "given";
    choose(options.contains("app") ? options["app"] : "mf");
    return make_job(linked_plugin(), options, {files_.write("scaled", text[0].str())}, kShards,
                    {files_.write("held", text[1].str())});
  }
  Fit fit(const Given& options, double times, double plus = 0, int epochs = 40) {
    const Job task = scaled_job(options, times, plus);
    MfHost host(task);
    host.run_epochs(epochs);
    const mf::TrainedModel model = model_of(host);
    const mf::AllRatings data = mf::read_ratings(task.input, {}, {}, mf::RatingKind::ratings);
    double sum = 0;
    const auto add = [&](const mf::Side& side, std::uint32_t row) {
      sum += model.settings.penalty() *
             (model.penalty_scale * mf::dot(side.row(row), side.row(row)) + side.biases[row] * side.biases[row]);
    };
    for (const mf::Rating& one : data.trained.all()) {
      const double value = static_cast<double>(one.value) + data.common.origin;
      sum += std::pow(value - model.score(one.of[0], one.of[1]), 2);
      add(model.users, one.of[0]);
      add(model.items, one.of[1]);
    }
    return {*host.score("valid_rmse") / times, sum / (times * times)};
  }
};

TEST_F(MfOfAnyScale, TheHeldOutErrorFollowsTheUnitOfTheRatings) {
  for (const Given& options : kScaled) {
    const double usual = fit(options, 1).error;
    EXPECT_LT(usual, 0.5) << options.at("app");  // their deviation is 0.94
    for (const double times : {1e-12, 1e-6, 1e6, 1e12})
      EXPECT_NEAR(fit(options, times).error, usual, 0.15) << options.at("app") << " " << times;
    EXPECT_EQ(fit(options, 0x1p-40).error, fit(options, 0x1p40).error) << options.at("app");
  }
}

TEST_F(MfOfAnyScale, RatingsFarFromZeroAreDistinguished) {
  for (const Given& options : kScaled)
    for (const double plus : {1e9, -1e9, 300.0})
      EXPECT_LT(fit(options, 1, plus).error, 0.5) << options.at("app") << " " << plus;
}

// With a penalty of biases that depended on the deviation, sgd found another model than als.
TEST_F(MfOfAnyScale, SgdAndAlsMakeTheSameObjectiveSmall) {
  for (const double times : {1.0, 20.0, 1e6}) {
    Given sgd = {{"biases", "true"}, {"rank", "3"}, {"lambda", std::to_string(0.1 * times)}};
    Given als = sgd;
    als["app"] = "als";
    const Fit by_als = fit(als, times, 0, 100);
    MfHost host(scaled_job(als, times, 0));
    host.run_epochs(100);
    const std::vector<double> terms = host.evaluate();
    const double printed = terms.front() + terms.back();
    EXPECT_NEAR(by_als.objective, printed / (times * times), 1e-4 * by_als.objective);
    const double by_sgd = fit(sgd, times, 0, 300).objective;
    EXPECT_NEAR(by_sgd, by_als.objective, 0.002 * by_als.objective) << times;
  }
}

// Errors of hundreds of deviations made rows diverge.
TEST_F(Mf, CountsOfHeavyTailsAreLearned) {
  Random random = random_from(3);
  double squares = 0;  // the errors of a model of zeros
  ratings_.clear();
  for (int i = 0; i < 30000; ++i) {
    const auto few = [&](double most) { return static_cast<std::uint32_t>(most * std::pow(random.uniform(), 3)); };
    const double count = std::min(1e12, std::floor(std::pow(random.uniform() + 1e-9, -1.7)));
    ratings_.push_back({few(500), few(200), static_cast<float>(count)});
    squares += std::pow(static_cast<double>(ratings_.back().value), 2);
  }
  for (const char* biases : {"false", "true"}) {
    MfHost host(job({{"biases", biases}}));
    for (double before = 1.1 * squares, now = 0; host.epochs() < 20; before = now) {
      host.run_epoch();
      now = host.evaluate()[0];
      EXPECT_LT(now, before) << host.epochs();
    }
  }
}

// The error message advised a smaller --learning_rate.
TEST_F(Mf, ALargePenaltyLeavesNothingButTheBase) {
  for (const Given& options : {Given{}, Given{{"biases", "true"}}, Given{{"biases", "true"}, {"lambda_by", "row"}}}) {
    Given given = options;
    given["lambda"] = "1e9";
    MfHost host(job(given));
    host.run_epochs(20);
    const mf::TrainedModel model = model_of(host);
    for (const float one : model.users.factors) EXPECT_NEAR(one, 0, 1e-3);
    for (const double one : model.items.biases) EXPECT_NEAR(one, 0, 1e-3);
  }
}

TEST_F(Mf, NoFactorIsBelowZeroIfNoneMayBe) {
  MfHost host(job({{"nonnegative", "true"}}));
  host.run_epochs(10);
  const mf::TrainedModel trained = model_of(host);
  for (const auto* side : {&trained.users, &trained.items})
    for (const float f : side->factors) EXPECT_GE(f, 0);
}

// A clock for budgets: every reading is one nanosecond later.
std::int64_t looks = 0;
std::int64_t look() {
  return ++looks;
}

// The one cell has 1500 ratings, and a visit reads the clock after every 512.  With 8 factors the first epoch is like
// the others.
TEST_F(Mf, ASpentBudgetEndsAVisitAndTheNextContinues) {
  while (ratings_.size() < 1500) ratings_.push_back(ratings_[ratings_.size() - some_ratings().size()]);
  Job task = job({{"rank", "8"}, {"learning_rate", "0.01"}});
  task.shards = task.slices = 1;
  MfHost whole(task), brief(task);
  brief.set_budget(Budget(0, look));  // always spent
  for (int epoch = 0; epoch < 2; ++epoch) {
    whole.run_epoch();
    double losses = 0;
    for (const double visited : {512.0, 512.0, 476.0}) {
      brief.run_epoch();
      losses += brief.evaluate()[0] * visited / 1500;  // as if all had been visited
    }
    EXPECT_EQ(brief.model_hash(), whole.model_hash());
    EXPECT_NEAR(losses, whole.evaluate()[0], 1e-9 * losses);
  }
  EXPECT_EQ(looks, 6);
}

TEST_F(Mf, ARateThatIsTooHighIsReported) {
  MfHost host(job({{"loss", "bpr"}, {"learning_rate", "1e6"}, {"lambda", "0"}}));
  EXPECT_THROW(host.run_epochs(20), UsageError);
}

}  // namespace
}  // namespace rota::tests
