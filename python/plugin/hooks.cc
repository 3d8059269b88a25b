#include "python/plugin/hooks.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "rota/schedules/rotation.h"
#include "rota/schedules/sweep.h"

namespace rota::python {

namespace {

py::object of_package(const char* name) {
  return py::module_::import("rota.plugin").attr(name);
}
bool is_a(const py::object& object, const char* name) {
  return py::isinstance(object, of_package(name));
}
// The bound method, if the object's class has one of its own.
void find_method(Held& method, const py::object& object, const char* base, const char* name) {
  const py::object found = of_package("_overrides")(object, of_package(base), name);
  if (!found.is_none()) method.set(found);
}
// An argument object that is kept for all calls.
template <typename T>
T* keep(Held& holder) {
  holder.set(py::cast(std::make_unique<T>()));
  return holder.get().cast<T*>();
}
// What a hook of an app returns; or what its class has in place of a method, where that depends on nothing.
template <typename... T>
py::object value_of(const py::object& app, const char* hook, const T&... arguments) {
  const py::object found = app.attr(hook);
  return PyCallable_Check(found.ptr()) != 0 ? py::object(found(arguments...)) : found;
}
// Ends the use of an object that was made for one call.
template <typename T>
class OneCall {
 public:
  explicit OneCall(T value) : object(py::cast(std::move(value))) {}
  ~OneCall() { *object.template cast<T*>() = T{}; }
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;
  const py::object object;
};

// One of the words; throws ValueError of Python.
template <typename T>
T word(const py::object& value, std::initializer_list<std::pair<std::string_view, T>> words, const char* what) {
  const std::string given = py::str(value).cast<std::string>();
  std::string all;
  for (const auto& [name, meaning] : words) {
    if (name == given) return meaning;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw py::value_error(std::string(what) + " '" + given + "': expected one of " + all);
}

StopBelow stop_of(const py::object& stop) {
  using Norm = StopBelow::Norm;
  return {
      stop.attr("tolerance").cast<double>(),
      word<Norm>(stop.attr("norm"), {{"l1", Norm::l1}, {"l2", Norm::l2}, {"largest", Norm::largest}}, "StopBelow.norm"),
      stop.attr("by_pull").cast<bool>()};
}

Table table_of(const py::object& from) {
  Table table;
  table.name = from.attr("name").cast<std::string>();
  table.kind = from.attr("sliced").cast<bool>() ? Table::Kind::sliced : Table::Kind::shared;
  table.keys = from.attr("keys").cast<std::uint64_t>();
  table.row_width = from.attr("row_width").cast<std::uint32_t>();
  table.part_width = from.attr("part_width").cast<std::uint32_t>();
  if (table.part_width == 0) table.part_width = table.row_width;
  table.block_width = from.attr("block_width").cast<std::uint32_t>();
  table.single_partition = from.attr("single_partition").cast<bool>();
  table.dense = from.attr("dense").cast<bool>();
  table.started = from.attr("started").cast<bool>();
  table.combine = word<Combine>(from.attr("combine"),
                                {{"sum", Combine::sum}, {"min", Combine::min}, {"max", Combine::max}}, "Table.combine");
  return table;
}

Term term_of(const py::object& from) {
  using Kind = Term::Kind;
  if (py::isinstance<py::str>(from)) return {from.cast<std::string>(), Kind::report};
  return {from.attr("name").cast<std::string>(), word<Kind>(from.attr("kind"),
                                                            {{"objective", Kind::objective},
                                                             {"report", Kind::report},
                                                             {"conserved", Kind::conserved},
                                                             {"normalised", Kind::normalised}},
                                                            "Term.kind")};
}

Score score_of(const py::object& from) {
  using Scale = Score::Scale;
  using Better = Score::Better;
  Score score;
  score.name = from.attr("name").cast<std::string>();
  score.term = from.attr("term").cast<std::string>();
  score.count = from.attr("count").cast<std::string>();
  score.scale = word<Scale>(
      from.attr("scale"),
      {{"sum", Scale::sum}, {"mean", Scale::mean}, {"root_mean", Scale::root_mean}, {"exp_mean", Scale::exp_mean}},
      "Score.scale");
  score.better =
      word<Better>(from.attr("better"), {{"smaller", Better::smaller}, {"larger", Better::larger}}, "Score.better");
  score.held_out = from.attr("held_out").cast<bool>();
  return score;
}

std::vector<Key> keys_of(const py::object& from) {
  const py::object array = counts_of(from);
  const std::span<const std::uint64_t> keys = span_of<std::uint64_t>(array);
  return {keys.begin(), keys.end()};
}

Round round_of(const py::object& from) {
  if (!is_a(from, "Round")) throw py::type_error("next() must return a rota.Round");
  Round round;
  round.table = from.attr("table").cast<TableId>();
  round.shared = keys_of(from.attr("shared"));
  for (const Key size : keys_of(from.attr("blocks"))) round.blocks.push_back(static_cast<std::uint32_t>(size));
  round.argument = argument_of(from.attr("argument"));
  for (const py::handle one : from.attr("owned"))
    round.owned.push_back(one.is_none() ? std::nullopt : std::optional(one.cast<SliceId>()));
  round.last_visits = from.attr("last_visits").cast<bool>();
  round.ends_epoch = from.attr("ends_epoch").cast<bool>();
  round.ends_job = from.attr("ends_job").cast<bool>();
  round.open = from.attr("open").cast<bool>();
  return round;
}

std::unique_ptr<Schedule> schedule_of(const py::object& from, const Job& job) {
  if (is_a(from, "Schedule")) return std::make_unique<PySchedule>(from);
  if (is_a(from, "RotationSchedule")) return std::make_unique<RotationSchedule>(job);
  if (!is_a(from, "OpenSchedule") && !is_a(from, "RoundRobinSchedule"))
    throw py::type_error("schedule() must return a rota.Schedule, or one of Rota's schedules");
  const auto table = from.attr("table").cast<TableId>();
  const Argument argument = argument_of(from.attr("argument"));
  const StopBelow stop = stop_of(from.attr("stop"));
  if (is_a(from, "OpenSchedule"))
    return std::make_unique<OpenSchedule>(table, argument, stop, from.attr("rounds").cast<std::uint64_t>());
  const auto keys = from.attr("keys").cast<std::uint64_t>(), batch = from.attr("batch").cast<std::uint64_t>();
  if (is_a(from, "RandomSchedule")) return std::make_unique<RandomSchedule>(table, keys, batch, argument, stop);
  return std::make_unique<RoundRobinSchedule>(table, keys, batch, argument, stop);
}

PySlice& slice_of(Slice& slice) {
  return dynamic_cast<PySlice&>(slice);
}
const PySlice& slice_of(const Slice& slice) {
  return dynamic_cast<const PySlice&>(slice);
}

// A call without a tuple of arguments.
py::object call(const Held& method, std::initializer_list<PyObject*> arguments) {
  PyObject* const result = PyObject_Vectorcall(method.get().ptr(), arguments.begin(), arguments.size(), nullptr);
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

// A call whose argument is a slice.
template <typename F>
void with_slice(Pool& pool, const PySlice& slice, bool writable, F&& f) {
  in_hook(pool, [&](Hook& hook) {
    f(hook, slice.lend(writable));
    slice.take_back();
  });
}

}  // namespace

void PySlice::encode(Writer& out) const {
  const Gil gil;
  const Plain plain = plain_numbers(rows_.get(), "a slice");
  out.put_varint(plain.count);
  out.append(plain.data, plain.bytes().size());
}

void PySlice::decode(Reader& in) {
  const Gil gil;
  const Plain plain = plain_numbers(rows_.get(), "a slice");
  if (in.get_count(plain.width) != plain.count) return in.fail();
  const std::span<const std::byte> bytes = in.get_bytes(plain.bytes().size());
  if (in.ok() && !bytes.empty()) std::memcpy(plain.data, bytes.data(), bytes.size());
}

const py::object& PySlice::lend(bool writable) const {
  set_writable(rows_.get(), writable);
  return rows_.get();
}

void PySlice::take_back() const {
  if (!is_alone(rows_.get())) throw_kept();
}

PyPush::PyPush(py::object object) {
  if (!is_a(object, "Push")) throw py::type_error("load() must return objects of classes derived from rota.Push");
  push_.set(object.attr("push"));
  push_slice_.set(object.attr("push_slice"));
  find_method(refresh_, object, "Push", "refresh");
  find_method(evaluate_, object, "Push", "evaluate");
  find_method(evaluate_slice_, object, "Push", "evaluate_slice");
  find_method(evaluate_visit_, object, "Push", "evaluate_visit");
  random_ = keep<PyRandom>(random_object_);
  task_ = keep<PySharedTask>(task_object_);
  slice_task_ = keep<PySliceTask>(slice_task_object_);
  terms_ = keep<PyTerms>(terms_object_);
  state_.set(object);
  items_ = object.attr("items")().cast<std::uint64_t>();
  restores_in_place_ = object.attr("restores_in_place").cast<bool>();
  object_.set(std::move(object));
}

PyPush::~PyPush() {
  *alive_ = false;
}

void PyPush::facts(Facts& facts) const {
  in_hook(pool_, [&](Hook&) {
    const OneCall<PyFacts> to({&facts, &facts});
    object_.get().attr("facts")(to.object);
  });
}

void PyPush::attach(const Shape& shape) {
  in_hook(pool_, [&](Hook& hook) {
    hook.tables_change = true;
    py::list slices, views;
    py::object first = py::none();
    for (const auto& keys : shape.cut.slices) slices.append(array_of(std::span<const std::uint64_t>(keys)));
    for (const TableView& view : shape.views) {
      py::object table = py::none();
      if (view.width() > 0) {
        table = py::cast(std::make_unique<PyTable>());
        auto& its = *table.cast<PyTable*>();
        its.view = view;
        its.owner_alive = alive_;
        if (first.is_none()) first = table;
      }
      views.append(table);
    }
    object_.get().attr("table") = first;
    object_.get().attr("tables") = views;
    const OneCall<PyFacts> facts({&shape.facts, nullptr});
    object_.get().attr("attach")(of_package("Shape")(facts.object, slices, views, shape.speaks_for_all));
  });
}

void PyPush::start(Random& own, Random& common) {
  in_hook(pool_, [&](Hook&) {
    const OneCall<PyRandom> first({&own}), second({&common});
    object_.get().attr("start")(first.object, second.object);
  });
}

void PyPush::refresh(const Commit& commit) {
  if (!refresh_) return;
  in_hook(pool_, [&](Hook&) {
    const OneCall<PyCommit> its({&commit});
    refresh_.get()(its.object);
  });
}

void PyPush::evaluate(Terms terms) const {
  if (!evaluate_) return;
  in_hook(pool_, [&](Hook&) {
    const Lend<const Terms> lent(terms_->at, &terms);
    evaluate_.get()(terms_object_.get());
  });
}

void PyPush::state(Archive& list) {
  state_.list(list);
}

std::uint64_t PyPush::push(const SharedTask& task, Random& random) {
  std::uint64_t visited = 0;
  in_hook(pool_, [&](Hook&) {
    const Lend<Random> lent_random(random_->at, &random);
    const Lend<const SharedTask> lent_task(task_->at, &task), lent_parts(task_->parts.at, &task);
    visited = call(push_, {task_object_.get().ptr(), random_object_.get().ptr()}).cast<std::uint64_t>();
    task_->parts.take_back();
  });
  return visited;
}

void PyPush::census(Census& census) const {
  in_hook(pool_, [&](Hook&) {
    const py::object weights = counts_of(object_.get().attr("census")());
    const std::span<const std::uint64_t> its = span_of<std::uint64_t>(weights);
    if (its.size() > census.size()) census.resize(its.size());
    for (std::size_t key = 0; key < its.size(); ++key) census[key] += its[key];
  });
}

std::uint64_t PyPush::push_any(const SliceTask& task, Slice& slice, Random& random) {
  std::uint64_t visited = 0;
  with_slice(pool_, slice_of(slice), true, [&](Hook&, const py::object& rows) {
    const Lend<Random> lent_random(random_->at, &random);
    const Lend<const SliceTask> lent_task(slice_task_->at, &task);
    visited = push_slice_.get()(slice_task_object_.get(), rows, random_object_.get()).cast<std::uint64_t>();
  });
  return visited;
}

void PyPush::evaluate_any(SliceId id, const Slice& slice, Terms terms) const {
  evaluate_with(evaluate_slice_, id, slice, terms);
}

void PyPush::evaluate_any_visit(SliceId id, const Slice& slice, Terms terms) const {
  evaluate_with(evaluate_visit_, id, slice, terms);
}

void PyPush::evaluate_with(const Held& method, SliceId id, const Slice& slice, Terms terms) const {
  if (!method) return;
  with_slice(pool_, slice_of(slice), false, [&](Hook&, const py::object& rows) {
    const Lend<const Terms> lent(terms_->at, &terms);
    method.get()(id, rows, terms_object_.get());
  });
}

PyPull::PyPull(py::object object) {
  if (!is_a(object, "Pull")) throw py::type_error("pull() must return a rota.Pull, or one of Rota's pulls");
  pull_.set(object.attr("pull"));
  find_method(evaluate_, object, "Pull", "evaluate");
  state_.set(object);
}

void PyPull::pull(const PullTask& task) {
  in_hook(pool_, [&](Hook&) {
    const OneCall<PyPullTask> its({&task});
    pull_.get()(its.object);
  });
}

void PyPull::evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const {
  if (!evaluate_) return;
  in_hook(pool_, [&](Hook& hook) {
    const OneCall<PyTerms> its({&terms});
    evaluate_.get()(table, key, hook.lend(value), its.object);
  });
}

void PyPull::state(Archive& list) {
  state_.list(list);
}

PyRowPull::PyRowPull(py::object function, bool random) {
  function_.set(std::move(function));
  if (random) random_ = keep<PyRandom>(random_object_);
}

void PyRowPull::pull(const PullTask& task) {
  in_hook(pool_, [&](Hook& hook) {
    for (const PullEntry& entry : task.entries) {
      call_row(hook, task, entry);
      hook.end();
    }
  });
}

void PyRowPull::call_row(Hook& hook, const PullTask& task, const PullEntry& entry) {
  PyObject* const sum = hook.lend(sum_, entry.sum, false);
  PyObject* const value = hook.lend(value_, entry.value, true);
  if (random_ == nullptr) {
    call(function_, {sum, value});
    return;
  }
  Random random = task.random(entry.key);
  const Lend<Random> lent(random_->at, &random);
  const py::int_ key(entry.key);
  call(function_, {key.ptr(), sum, value, random_object_.get().ptr()});
}

PySchedule::PySchedule(py::object object) {
  wish_ = word<Feedback>(object.attr("wish"),
                         {{"changes", Feedback::changes}, {"norms", Feedback::norms}, {"reply", Feedback::reply}},
                         "Schedule.wish");
  may_end_job_ = object.attr("may_end_job").cast<bool>();
  state_.set(object);
  object_.set(std::move(object));
}

Cut PySchedule::cut(const Census& census, std::uint32_t slices) {
  Cut cut;
  in_hook([&](Hook&) {
    for (const py::handle keys : object_.get().attr("cut")(array_of(std::span<const std::uint64_t>(census)), slices))
      cut.slices.push_back(keys_of(py::reinterpret_borrow<py::object>(keys)));
  });
  return cut;
}

std::uint32_t PySchedule::pipeline(std::uint32_t wish) const {
  std::uint32_t pipeline = 0;
  in_hook([&](Hook&) { pipeline = object_.get().attr("pipeline")(wish).cast<std::uint32_t>(); });
  return pipeline;
}

Round PySchedule::next(Random& random) {
  Round round;
  in_hook([&](Hook&) {
    const OneCall<PyRandom> its({&random});
    round = round_of(object_.get().attr("next")(its.object));
  });
  return round;
}

void PySchedule::feedback(const Commit& commit) {
  in_hook([&](Hook&) {
    const OneCall<PyCommit> its({&commit});
    object_.get().attr("feedback")(its.object);
  });
}

std::vector<Figure> PySchedule::figures() {
  std::vector<Figure> figures;
  in_hook([&](Hook&) {
    for (const auto& [name, value] : object_.get().attr("figures")().cast<std::map<std::string, double>>())
      figures.push_back({name, value});
  });
  return figures;
}

std::optional<bool> PySchedule::converged() const {
  std::optional<bool> converged;
  in_hook([&](Hook&) { converged = object_.get().attr("converged")().cast<std::optional<bool>>(); });
  return converged;
}

bool PySchedule::ends_job() {
  bool ends = false;
  in_hook([&](Hook&) { ends = object_.get().attr("ends_job")().cast<bool>(); });
  return ends;
}

void PySchedule::state(Archive& list) {
  state_.list(list);
}

py::object job_object(const AppClass& its, const Job& job) {
  py::dict texts;
  for (const auto& [name, value] : job.options.all()) texts[py::str(name)] = py::str(value);
  return of_package("_job_of")(its.type, texts,
                               py::make_tuple(job.input, job.valid, job.seed, job.shards, job.slices, job.schedulers,
                                              job.staleness, job.pipeline));
}

PyApp::PyApp(const AppClass& its, const Job& job) : job_(job) {
  in_hook([&](Hook&) {
    py::object object = its.type(job_object(its, job));
    for (const py::handle term : value_of(object, "terms"))
      terms_.push_back(term_of(py::reinterpret_borrow<py::object>(term)));
    for (const py::handle score : value_of(object, "scores"))
      scores_.push_back(score_of(py::reinterpret_borrow<py::object>(score)));
    evaluating_pass_ = object.attr("evaluating_pass").cast<bool>();
    object_.set(std::move(object));
  });
}

std::vector<std::unique_ptr<Push>> PyApp::load(std::span<const ShardId> hosted, Random& common) {
  std::vector<std::unique_ptr<Push>> pushes;
  in_hook([&](Hook&) {
    const OneCall<PyRandom> random({&common});
    const std::vector<ShardId> shards(hosted.begin(), hosted.end());
    for (const py::handle push : object_.get().attr("load")(shards, random.object))
      pushes.push_back(std::make_unique<PyPush>(py::reinterpret_borrow<py::object>(push)));
    if (pushes.size() != hosted.size())
      throw py::value_error("load() must return a rota.Push for each of the " + std::to_string(hosted.size()) +
                            " shards that it is given, and has returned " + std::to_string(pushes.size()));
  });
  return pushes;
}

void PyApp::facts(Facts& facts) const {
  in_hook([&](Hook&) {
    const OneCall<PyFacts> to({&facts, &facts});
    object_.get().attr("facts")(to.object);
  });
}

std::vector<Table> PyApp::tables(const Facts& facts) const {
  std::vector<Table> tables;
  in_hook([&](Hook&) {
    const OneCall<PyFacts> its({&facts, nullptr});
    for (const py::handle table : value_of(object_.get(), "tables", its.object))
      tables.push_back(table_of(py::reinterpret_borrow<py::object>(table)));
  });
  return tables;
}

std::unique_ptr<Schedule> PyApp::schedule(const Facts& facts, Share share) const {
  std::unique_ptr<Schedule> schedule;
  in_hook([&](Hook&) {
    const OneCall<PyFacts> its({&facts, nullptr});
    schedule = schedule_of(
        value_of(object_.get(), "schedule", its.object, of_package("Share")(share.index, share.count)), job_);
  });
  return schedule;
}

std::unique_ptr<Pull> PyApp::pull(const Facts& facts) const {
  std::unique_ptr<Pull> pull;
  in_hook([&](Hook&) {
    const OneCall<PyFacts> its({&facts, nullptr});
    const py::object from = value_of(object_.get(), "pull", its.object);
    if (from.is_none()) return;
    if (is_a(from, "RowPull"))
      pull = std::make_unique<PyRowPull>(from.attr("function"), from.attr("random").cast<bool>());
    else if (is_a(from, "AddPull"))
      pull = std::make_unique<AddPull>();
    else if (is_a(from, "AssignPull"))
      pull = std::make_unique<rota::AssignPull>();
    else
      pull = std::make_unique<PyPull>(from);
  });
  return pull != nullptr ? std::move(pull) : App::pull(facts);
}

std::unique_ptr<Slice> PyApp::slice(std::span<const Key> keys) const {
  std::unique_ptr<Slice> slice;
  in_hook([&](Hook&) {
    const py::object rows = object_.get().attr("slice")(array_of(keys));
    slice = std::make_unique<PySlice>(own_copy(rows, "what slice() returns"));
  });
  return slice;
}

void PyApp::start(const Facts& facts, SliceId id, Slice& slice, std::span<const Key> keys, Random& random) const {
  Pool pool;
  with_slice(pool, slice_of(slice), true, [&](Hook&, const py::object& rows) {
    const OneCall<PyFacts> its({&facts, nullptr});
    const OneCall<PyRandom> drawn({&random});
    object_.get().attr("start")(its.object, id, rows, array_of(keys), drawn.object);
  });
}

void PyApp::start_row(const Facts& facts, TableId table, Key key, std::span<double> row, Random& random) const {
  in_hook([&](Hook& hook) {
    const OneCall<PyFacts> its({&facts, nullptr});
    const OneCall<PyRandom> drawn({&random});
    object_.get().attr("start_row")(its.object, table, key, hook.lend(row), drawn.object);
  });
}

void PyApp::save_common(Writer& out) const {
  in_hook([&](Hook&) {
    const auto bytes = object_.get().attr("save_common")().cast<std::string>();
    out.append(bytes.data(), bytes.size());
  });
}

}  // namespace rota::python
