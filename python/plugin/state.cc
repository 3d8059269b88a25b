// The state of hooks' objects: attributes of Python objects, encoded as the fields of their twins in C++ are
// (rota/fields.h).
#include <pybind11/stl.h>

#include "python/plugin/hooks.h"

namespace rota::python {

namespace {

// One attribute of a state.
void write_value(Writer& out, const py::object& value, const std::string& name) {
  if (py::isinstance<py::bool_>(value)) return out.put(value.cast<bool>());
  if (py::isinstance<py::int_>(value)) return out.put(value.cast<std::int64_t>());
  if (py::isinstance<py::float_>(value)) return out.put(value.cast<double>());
  if (py::isinstance<py::str>(value)) return out.put_text(value.cast<std::string>());
  const py::object array =
      own_copy(value, ("state: the attribute '" + name + "', which is no number or text,").c_str());
  const Plain plain = plain_numbers(array, "state");
  out.put_varint(plain.count);
  out.append(plain.data, plain.bytes().size());
}

// Null if the bytes are not valid.
py::object read_value(Reader& in, const py::object& like, const std::string& name) {
  if (py::isinstance<py::bool_>(like)) return py::bool_(in.get_bounded<unsigned>(1) != 0);
  if (py::isinstance<py::int_>(like)) return py::int_(in.get<std::int64_t>());
  if (py::isinstance<py::float_>(like)) return py::float_(in.get<double>());
  if (py::isinstance<py::str>(like)) return py::str(std::string(in.get_text()));
  const Plain plain = plain_numbers(like, ("state: the attribute '" + name + "', which is no number or text,").c_str());
  const std::size_t count = in.get_count(plain.width);
  return array_like(like, in.get_bytes(count * plain.width));
}

}  // namespace

void State::set(const py::object& object) {
  names_ = py::cast<std::vector<std::string>>(py::tuple(object.attr("state")));
  if (!names_.empty()) object_.set(object);
}

void State::list(Archive& archive) {
  if (names_.empty()) return;
  in_hook([&](Hook& hook) {
    hook.tables_change = archive.reads();
    for (const std::string& name : names_) {
      const py::object value = object_.get().attr(name.c_str());
      if (Writer* const out = archive.writer(); out != nullptr) {
        write_value(*out, value, name);
        continue;
      }
      const py::object read = read_value(*archive.reader(), value, name);
      archive.check(static_cast<bool>(read));
      if (archive.ok()) py::setattr(object_.get(), name.c_str(), read);
    }
  });
}

}  // namespace rota::python
