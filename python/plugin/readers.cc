// Data files for apps in Python: what the readers of rota/io give, as arrays.
#include <pybind11/stl.h>

#include <map>

#include "python/plugin/arguments.h"
#include "rota/io/line_fields.h"
#include "rota/io/lines.h"
#include "rota/io/row_files.h"
#include "rota/settings.h"

namespace rota::python {

namespace {

using Texts = std::map<std::string, std::string>;

io::RowForm form_of(const Texts& texts) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : declared_options<io::RowForm>()) values[std::string(option.name)] = option.default_value;
  for (auto& [name, value] : values)
    if (const auto given = texts.find(name); given != texts.end()) value = given->second;
  io::RowForm form = settings_of<io::RowForm>(Options(std::move(values)));
  form.check();
  return form;
}

// labels, indptr, indices, values, columns, names
py::tuple rows_of(const std::vector<std::string>& paths, const Texts& options) {
  std::vector<double> labels, values;
  std::vector<std::int64_t> begins = {0};
  std::vector<std::uint32_t> columns;
  io::RowsSize size;
  {
    const py::gil_scoped_release others_run;
    io::RowFiles files(paths, form_of(options));
    for (io::LabelledValues row; files.next(row);) {
      labels.push_back(row.label);
      columns.insert(columns.end(), row.columns.begin(), row.columns.end());
      values.insert(values.end(), row.values.begin(), row.values.end());
      begins.push_back(static_cast<std::int64_t>(values.size()));
    }
    size = files.size();
  }
  return py::make_tuple(array_of(std::span<const double>(labels)), array_of(std::span<const std::int64_t>(begins)),
                        array_of(std::span<const std::uint32_t>(columns)), array_of(std::span<const double>(values)),
                        size.columns, size.names);
}

// The numbers of lines that have `count` each; the first `whole` of them are whole numbers.
py::object numbers_of(const std::vector<std::string>& paths, std::size_t count, const std::string& form,
                      std::size_t whole) {
  std::vector<double> numbers;
  {
    const py::gil_scoped_release others_run;
    for (const std::string& path : paths) {
      io::Lines lines(path);
      for (std::string_view line; lines.next(line);) {
        std::string_view rest = line;
        bool valid = true;
        for (std::size_t i = 0; i < count; ++i) {
          double number = 0;
          std::uint64_t digits = 0;
          const std::string_view field = io::next_field(rest);
          valid = valid && (i < whole ? io::read_field(field, digits) : io::read_field(field, number));
          numbers.push_back(i < whole ? static_cast<double>(digits) : number);
        }
        if (!valid || !io::next_field(rest).empty()) lines.fail("expected " + form + ", found " + io::quoted(line));
      }
    }
  }
  return array_of(std::span<const double>(numbers)).attr("reshape")(-1, count);
}

}  // namespace

void bind_readers(py::module_& module) {
  module.def("rows_of", &rows_of);
  module.def("numbers_of", &numbers_of);
  py::class_<io::Lines>(module, "Lines", "The lines of a text file, plain, .gz, .bz2, .xz or .zst, without their ends.")
      .def(py::init<std::string>(), py::arg("path"))
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__",
           [](io::Lines& self) {
             std::string_view line;
             if (!self.next(line)) throw py::stop_iteration();
             return std::string(line);
           })
      .def_property_readonly("number", &io::Lines::number, "Of the last line, from 1.")
      .def_property_readonly("file", &io::Lines::file)
      .def("fail", &io::Lines::fail, "Raises DataError for the last line.");
}

}  // namespace rota::python
