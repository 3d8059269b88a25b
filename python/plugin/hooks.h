// python/plugin/hooks.h -- the classes of an app whose hooks are methods of Python objects (python/rota/plugin.py).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "python/plugin/arguments.h"
#include "python/plugin/loans.h"
#include "rota/plugin.h"

namespace rota::python {

// What the class of an app declares, as long as the process lives.
struct AppClass {
  py::object type;
  bool sliced = false;
};

class PySlice final : public Slice {
 public:
  explicit PySlice(py::object rows) : rows_(std::move(rows)) {}
  void encode(Writer& out) const override;
  void decode(Reader& in) override;
  // For a call; `writable`: it may change the rows.  A new reference is held by the call alone.
  const py::object& lend(bool writable) const;
  // After the call.  Throws AppFault if the array was kept.
  void take_back() const;

 private:
  Held rows_;
};

// A Python object whose class names its state.
class State {
 public:
  void set(const py::object& object);
  void list(Archive& archive);

 private:
  Held object_;
  std::vector<std::string> names_;
};

class PyPush final : public SharedPush, public AnySlicePush {
 public:
  explicit PyPush(py::object object);
  ~PyPush() override;

  std::uint64_t items() const override { return items_; }
  void facts(Facts& facts) const override;
  void attach(const Shape& shape) override;
  void start(Random& own, Random& common) override;
  void refresh(const Commit& commit) override;
  void evaluate(Terms terms) const override;
  bool restores_in_place() const override { return restores_in_place_; }
  void state(Archive& list) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;
  void census(Census& census) const override;
  std::uint64_t push_any(const SliceTask& task, Slice& slice, Random& random) override;
  void evaluate_any(SliceId id, const Slice& slice, Terms terms) const override;
  void evaluate_any_visit(SliceId id, const Slice& slice, Terms terms) const override;

 private:
  void evaluate_with(const Held& method, SliceId id, const Slice& slice, Terms terms) const;

  mutable Pool pool_;
  Held object_, push_, push_slice_, refresh_, evaluate_, evaluate_slice_, evaluate_visit_;
  // Kept for all calls; each refers to the arguments of the current one.
  Held random_object_, task_object_, slice_task_object_, terms_object_;
  PyRandom* random_ = nullptr;
  PySharedTask* task_ = nullptr;
  PySliceTask* slice_task_ = nullptr;
  PyTerms* terms_ = nullptr;
  State state_;
  std::uint64_t items_ = 0;
  bool restores_in_place_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for views of tables
};

class PyPull final : public Pull {
 public:
  explicit PyPull(py::object object);
  void pull(const PullTask& task) override;
  void evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const override;
  void state(Archive& list) override;

 private:
  mutable Pool pool_;
  Held object_, pull_, evaluate_;
  State state_;
};

// rota.RowPull: a function of the sum and the value of a row.
class PyRowPull final : public Pull {
 public:
  PyRowPull(py::object function, bool random);
  void pull(const PullTask& task) override;

 private:
  void call_row(Hook& hook, const PullTask& task, const PullEntry& entry);

  Pool pool_;
  Held function_, random_object_;
  PyRandom* random_ = nullptr;
  Lent sum_, value_;
};

class PySchedule final : public Schedule {
 public:
  explicit PySchedule(py::object object);
  Cut cut(const Census& census, std::uint32_t slices) override;
  std::uint32_t pipeline(std::uint32_t wish) const override;
  Feedback wish() const override { return wish_; }
  Round next(Random& random) override;
  void feedback(const Commit& commit) override;
  std::vector<Figure> figures() override;
  std::optional<bool> converged() const override;
  bool may_end_job() const override { return may_end_job_; }
  bool ends_job() override;
  void state(Archive& list) override;

 private:
  Held object_;
  State state_;
  Feedback wish_ = Feedback::changes;
  bool may_end_job_ = false;
};

// The Job as Python sees it.
py::object job_object(const AppClass& its, const Job& job);

class PyApp final : public App {
 public:
  PyApp(const AppClass& its, const Job& job);
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random& common) override;
  void facts(Facts& facts) const override;
  std::vector<Table> tables(const Facts& facts) const override;
  std::vector<Term> terms() const override { return terms_; }
  std::vector<Score> scores() const override { return scores_; }
  bool evaluating_pass() const override { return evaluating_pass_; }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share share) const override;
  std::unique_ptr<Pull> pull(const Facts& facts) const override;
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override;
  void start(const Facts& facts, SliceId id, Slice& slice, std::span<const Key> keys, Random& random) const override;
  void start_row(const Facts& facts, TableId table, Key key, std::span<double> row, Random& random) const override;
  void save_common(Writer& out) const override;

 private:
  const Job& job_;
  Held object_;
  std::vector<Term> terms_;
  std::vector<Score> scores_;
  bool evaluating_pass_ = false;
};

}  // namespace rota::python
