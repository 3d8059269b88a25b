#include "python/plugin/arguments.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>

namespace rota::python {

namespace {

py::bytes bytes_object(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_bytes(Writer& out, const py::buffer& buffer) {
  const py::buffer_info info = buffer.request();
  out.append(info.ptr, static_cast<std::size_t>(info.size * info.itemsize));
}

std::vector<py::ssize_t> dims_of(const py::object& shape) {
  if (py::isinstance<py::int_>(shape)) return {shape.cast<py::ssize_t>()};
  return shape.cast<std::vector<py::ssize_t>>();
}

py::object uniforms(PyRandom& self, const py::object& shape) {
  Random& random = self.get();
  std::size_t count = 1;
  for (const py::ssize_t dim : dims_of(shape)) count *= static_cast<std::size_t>(std::max<py::ssize_t>(dim, 0));
  std::vector<double> numbers(count);
  for (double& one : numbers) one = random.uniform();
  const py::object flat = array_of(std::span<const double>(numbers));
  return py::isinstance<py::int_>(shape) ? flat : flat.attr("reshape")(shape);
}

void bind_random(py::module_& module) {
  py::class_<PyRandom>(module, "Random",
                       "Rota's generator of random numbers (rota/random.h): the same draws as in C++.\n\n"
                       "Hooks are given one. Random(a, b, c, d) makes one from four whole numbers.")
      .def(py::init([](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
             return PyRandom{nullptr, Random({a, b, c, d})};
           }),
           py::arg("a"), py::arg("b") = 0, py::arg("c") = 0, py::arg("d") = 0)
      .def(
          "__call__", [](PyRandom& self) { return self.get()(); }, "64 random bits.")
      .def(
          "uniform", [](PyRandom& self) { return self.get().uniform(); }, "In [0, 1).")
      .def(
          "uniform_float", [](PyRandom& self) { return static_cast<double>(self.get().uniform_float()); },
          "In [0, 1), a multiple of 2^-24.")
      .def(
          "below",
          [](PyRandom& self, std::uint64_t bound) {
            if (bound == 0) throw py::value_error("below(0) has no number to return");
            return self.get().below(bound);
          },
          "In 0 .. bound - 1.")
      .def("uniforms", &uniforms, "An array of this shape: uniform() for each number, in their order.");
}

void bind_facts(py::module_& module) {
  py::class_<PyFacts>(module, "Facts", "Properties of the data by name (rota/facts.h).")
      .def("add",
           [](PyFacts& self, const std::string& name, const py::object& values) {
             const py::object array = doubles_of(values);
             alive(self.to).add(name, span_of<double>(array));
           })
      .def("largest",
           [](PyFacts& self, const std::string& name, const py::object& values) {
             const py::object array = doubles_of(values);
             alive(self.to).largest(name, span_of<double>(array));
           })
      .def("__contains__", [](PyFacts& self, const std::string& name) { return alive(self.at).has(name); })
      .def("number", [](PyFacts& self, const std::string& name) { return alive(self.at).number(name); })
      .def("count", [](PyFacts& self, const std::string& name) { return alive(self.at).count(name); })
      .def("numbers", [](PyFacts& self, const std::string& name) { return array_of(alive(self.at).numbers(name)); });
}

void bind_tables(py::module_& module) {
  py::class_<PyTable>(module, "TableView", "A shard's view of a dense table (rota/view.h), to be read in its hooks.")
      .def_property_readonly("keys", [](const PyTable& self) { return self.view.keys(); })
      .def_property_readonly("width", [](const PyTable& self) { return self.view.width(); })
      .def_property_readonly("numbers", &PyTable::numbers, "All rows, as an array of two dimensions.")
      .def_property_readonly("version",
                             [](const PyTable& self) {
                               if (!*self.owner_alive) throw py::type_error("the job of this table has ended");
                               return self.view.version();
                             })
      .def("row", [](PyTable& self, std::int64_t key) { return self.numbers()[py::int_(key)]; })
      .def("__getitem__", [](PyTable& self, const py::object& at) { return py::object(self.numbers()[at]); })
      .def("__len__", [](const PyTable& self) { return self.view.keys(); });
  py::class_<PyTerms>(module, "Terms", "The sums of an evaluation: terms[\"loss\"] += loss.")
      .def("__getitem__", [](PyTerms& self, const std::string& name) { return alive(self.at)[name]; })
      .def("__setitem__", [](PyTerms& self, const std::string& name, double value) { alive(self.at)[name] = value; });
}

py::list entries_of(PySharedTask& self) {
  Hook& hook = Hook::current();
  py::list list;
  for (const Entry& entry : alive(self.at).entries)
    list.append(py::make_tuple(entry.key, hook.lend(entry.value), hook.lend(entry.part)));
  return list;
}

void bind_tasks(py::module_& module) {
  py::class_<PyParts>(module, "Parts", "A shard's parts of a round, by key (rota/open_parts.h).")
      .def("__getitem__", &PyParts::part)
      .def("run", &PyParts::run, "The parts of `count` consecutive rows, as an array of two dimensions.")
      .def_property_readonly("keys", [](PyParts& self) { return alive(self.at).parts.keys(); })
      .def_property_readonly("width", [](PyParts& self) { return alive(self.at).parts.width(); });
  py::class_<PySharedTask>(module, "SharedTask", "One shard's share of a round with shared rows (rota/round.h).")
      .def_property_readonly("epoch", [](PySharedTask& self) { return alive(self.at).epoch; })
      .def_property_readonly("round", [](PySharedTask& self) { return alive(self.at).round; })
      .def_property_readonly("table", [](PySharedTask& self) { return alive(self.at).table; })
      .def_property_readonly("argument", [](PySharedTask& self) { return object_of(alive(self.at).argument); })
      .def_property_readonly("blocks", [](PySharedTask& self) { return array_of(alive(self.at).blocks); })
      .def_readonly("parts", &PySharedTask::parts)
      .def("__len__", [](PySharedTask& self) { return alive(self.at).entries.size(); })
      .def("__iter__", [](PySharedTask& self) { return py::iter(entries_of(self)); })
      .def("note", [](PySharedTask& self, const py::buffer& bytes) { write_bytes(alive(self.at).note, bytes); });
  py::class_<PySliceTask>(module, "SliceTask", "One shard's visit to a slice (rota/round.h).")
      .def_property_readonly("slice", [](PySliceTask& self) { return alive(self.at).slice; })
      .def_property_readonly("epoch", [](PySliceTask& self) { return alive(self.at).epoch; })
      .def_property_readonly("round", [](PySliceTask& self) { return alive(self.at).round; })
      .def_property_readonly("visit", [](PySliceTask& self) { return alive(self.at).visit; })
      .def_property_readonly("last_visit", [](PySliceTask& self) { return alive(self.at).last_visit; })
      .def_property_readonly("argument", [](PySliceTask& self) { return object_of(alive(self.at).argument); })
      .def_property_readonly("time_spent", [](PySliceTask& self) { return alive(self.at).budget.spent(); });
}

void bind_commits(py::module_& module) {
  py::class_<PyCommit>(module, "Commit", "The result of a round (rota/round.h).")
      .def_property_readonly("round", [](PyCommit& self) { return alive(self.at).round; })
      .def_property_readonly("table", [](PyCommit& self) { return alive(self.at).table; })
      .def_property_readonly("argument", [](PyCommit& self) { return object_of(alive(self.at).argument); })
      .def_property_readonly("reply", [](PyCommit& self) { return bytes_object(alive(self.at).reply.view()); })
      .def_property_readonly("norms",
                             [](PyCommit& self) {
                               const ChangeNorms& norms = alive(self.at).norms;
                               return py::make_tuple(norms.l1, norms.l2_squared, norms.largest);
                             })
      .def("__iter__", [](PyCommit& self) {
        Hook& hook = Hook::current();
        py::list list;
        for (const Delta& delta : alive(self.at).deltas)
          list.append(py::make_tuple(delta.key, hook.lend(delta.value), hook.lend(delta.change)));
        return py::iter(list);
      });
  py::class_<PyPullTask>(module, "PullTask", "The rows of a round that are in one partition (rota/round.h).")
      .def_property_readonly("round", [](PyPullTask& self) { return alive(self.at).round; })
      .def_property_readonly("table", [](PyPullTask& self) { return alive(self.at).table; })
      .def_property_readonly("argument", [](PyPullTask& self) { return object_of(alive(self.at).argument); })
      .def_property_readonly("blocks", [](PyPullTask& self) { return array_of(alive(self.at).blocks); })
      .def_property_readonly("notes",
                             [](PyPullTask& self) {
                               py::list list;
                               for (const Bytes& note : alive(self.at).notes) list.append(bytes_object(note.view()));
                               return list;
                             })
      .def("reply", [](PyPullTask& self, const py::buffer& bytes) { write_bytes(alive(self.at).reply, bytes); })
      .def("random",
           [](PyPullTask& self, Key key) {
             return PyRandom{nullptr, alive(self.at).random(key)};
           })
      .def("__len__", [](PyPullTask& self) { return alive(self.at).entries.size(); })
      .def("__iter__",
           [](PyPullTask& self) {
             Hook& hook = Hook::current();
             py::list list;
             for (const PullEntry& entry : alive(self.at).entries)
               list.append(py::make_tuple(entry.key, hook.lend(entry.sum), hook.lend(entry.value)));
             return py::iter(list);
           })
      .def(
          "runs",
          [](PyPullTask& self) {
            Hook& hook = Hook::current();
            py::list list;
            const auto add = [&](const PullRun& run) {
              const auto rows = static_cast<std::ptrdiff_t>(run.count);
              list.append(py::make_tuple(run.first, hook.lend(run.sum.data(), rows, run.sum.size() / run.count, false),
                                         hook.lend(run.value.data(), rows, run.value.size() / run.count, true)));
            };
            const PullEntries& entries = alive(self.at).entries;
            for (const PullRun& run : entries.runs()) add(run);
            for (const PullEntry& entry : entries.named()) add({entry.key, 1, entry.sum, entry.value});
            return list;
          },
          "A list of (first key, sums, values): rows of consecutive keys as arrays of two dimensions.");
}

void bind_model(py::module_& module) {
  py::class_<PyModel>(module, "Model", "A committed model, for commands (rota/model.h).")
      .def_readonly("options", &PyModel::options)
      .def_property_readonly("epoch", [](PyModel& self) { return alive(self.at).epoch(); })
      .def_property_readonly("cut",
                             [](PyModel& self) {
                               py::list slices;
                               for (const auto& keys : alive(self.at).cut().slices)
                                 slices.append(array_of(std::span<const std::uint64_t>(keys)));
                               return slices;
                             })
      .def("row", [](PyModel& self, TableId table,
                     Key key) { return array_of(std::span<const double>(alive(self.at).row(table, key))); })
      .def(
          "rows",
          [](PyModel& self, TableId table) {
            py::list list;
            alive(self.at).for_each_row(table, [&](Key key, std::span<const double> value) {
              list.append(py::make_tuple(key, array_of(value)));
            });
            return list;
          },
          "A list of (key, value) of all rows that were ever committed.")
      .def(
          "slice_rows",
          [](PyModel& self, SliceId slice) {
            const Bytes bytes = alive(self.at).slice(slice);
            Reader in(bytes.view());
            Writer count;  // of the numbers, in front of them
            count.put_varint(in.get_varint());
            return bytes_object(bytes.view().subspan(std::min(count.view().size(), bytes.size())));
          },
          "The numbers of a slice, as bytes for numpy.frombuffer().")
      .def_property_readonly("common", [](PyModel& self) { return bytes_object(alive(self.at).common().view()); });
}

}  // namespace

py::object PyTable::numbers() {
  Hook& hook = Hook::current();
  if (!*owner_alive) throw py::type_error("the job of this table has ended");
  if (hook.tables_change) throw py::type_error("in attach() a table has no rows yet");
  if (!array.lent()) {
    array.lend(view.numbers().data(), static_cast<std::ptrdiff_t>(view.keys()), view.width(), false);
    hook.join(array);
  }
  return py::reinterpret_borrow<py::object>(array.array());
}

py::object PyParts::part(Key key) {
  const SharedTask& task = alive(at);
  const std::span<double> span = task.parts[key];
  if (embedded() || task.parts.keys() == 0) return Hook::current().lend(span);
  return py::object(run(key, 1)[py::int_(0)]);
}

py::object PyParts::run(Key first, Key count) {
  const SharedTask& task = alive(at);
  const std::size_t width = task.parts.width();
  const std::span<double> span = task.parts.run(first, count);
  if (embedded()) return Hook::current().lend(span.data(), static_cast<std::ptrdiff_t>(count), width, true);
  begin = span.data() - first * width;
  if (!shadow || plain_numbers(shadow, "parts").count != task.parts.keys() * width)  // of another table
    shadow = zeros(task.parts.keys(), width);
  auto* const copy = reinterpret_cast<double*>(plain_numbers(shadow, "parts").data);
  for (Key key = first; key < first + count; ++key)
    if (touched.insert(key).second) std::copy_n(begin + key * width, width, copy + key * width);
  return shadow[py::slice(static_cast<py::ssize_t>(first), static_cast<py::ssize_t>(first + count), 1)];
}

void PyParts::take_back() {
  if (!shadow || touched.empty()) return;
  const std::size_t width = alive(at).parts.width();
  const auto* const copy = reinterpret_cast<const double*>(plain_numbers(shadow, "parts").data);
  for (const Key key : touched) std::copy_n(copy + key * width, width, begin + key * width);
  touched.clear();
  if (!is_alone(shadow)) {
    shadow = py::object();
    throw_kept();
  }
}

Argument argument_of(const py::object& value) {
  if (value.is_none()) return {};
  const py::object numbers = doubles_of(value);
  const std::span<const double> span = span_of<double>(numbers);
  Writer out;
  out.append(span.data(), span.size_bytes());
  return Argument::of_bytes(Bytes::from(out.take()));
}

py::object object_of(const Argument& argument) {
  const std::span<const std::byte> bytes = argument.bytes().view();
  if (bytes.empty()) return py::none();
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  if (numbers.size() == 1) return py::float_(numbers[0]);
  return array_of(std::span<const double>(numbers));
}

void bind_arguments(py::module_& module) {
  bind_random(module);
  bind_facts(module);
  bind_tables(module);
  bind_tasks(module);
  bind_commits(module);
  bind_model(module);
}

}  // namespace rota::python
