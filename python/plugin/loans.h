// python/plugin/loans.h -- arrays of NumPy over Rota's memory, for the time of one call of a hook.
//
// In a worker nothing is copied: an array is a view, read-only (WRITEABLE is cleared) where the C++ side is const. When
// the hook returns, nothing but this file may refer to the array.  An array's slices and buffers refer to it, so one
// look at its reference count finds all that was kept.  If something was, the hook fails, and no other hook of the
// process runs: the memory is not read again.
//
// In a Python process, which goes on when a job has failed, arrays own their memory: numbers are copied in, and after
// the call back.  So what was kept can be looked at for ever.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "python/plugin/interpreter.h"

namespace rota::python {

// Loads NumPy, once a process.
void load_numpy();

// One array.  Kept for the next call, because to make one takes longer than to change its numbers.
class Lent {
 public:
  Lent() = default;
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent();

  // Lends rows x width numbers (rows < 0: an array of one dimension), until returned().
  PyObject* lend(const double* numbers, std::ptrdiff_t rows, std::ptrdiff_t width, bool writable);
  bool lent() const { return numbers_ != nullptr; }
  PyObject* array() const { return array_; }
  bool is(std::ptrdiff_t rows, std::ptrdiff_t width) const;
  // After the call: false if something else refers to the array.
  bool returned();
  // The call failed.
  void drop();

 private:
  bool fits(std::ptrdiff_t rows, std::ptrdiff_t width) const;

  PyObject* array_ = nullptr;
  double* numbers_ = nullptr;
  bool writable_ = false;
};

// The arrays of one hook's object, which one thread at a time calls.
struct Pool {
  std::deque<Lent> arrays;
  std::size_t used = 0;
  std::vector<Lent*> lent;               // in this call, these and others
  std::map<const double*, Lent*> known;  // in a Python process: of this call, so that equal numbers are one array
};

// A call of Python in a hook.  Code that is called from Python finds it by current().
class Hook {
 public:
  explicit Hook(Pool& pool);
  ~Hook();
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  // Of this thread; throws RuntimeError of Python if there is none: what is lent in a hook is asked for outside.
  static Hook& current();

  // A new reference.
  py::object lend(std::span<const double> numbers) { return lend(numbers.data(), -1, numbers.size(), false); }
  py::object lend(std::span<double> numbers) { return lend(numbers.data(), -1, numbers.size(), true); }
  py::object lend(const double* numbers, std::ptrdiff_t rows, std::size_t width, bool writable);
  // Through an array of the caller's.
  PyObject* lend(Lent& through, std::span<const double> numbers, bool writable);
  // For a table whose numbers do not change in this call.
  void join(Lent& array) { pool_.lent.push_back(&array); }
  bool tables_change = false;  // in attach() and restore() a view of a table must not be read
  // Takes back what was lent; throws AppFault if some of it was kept.
  void end();

 private:
  Pool& pool_;
  Hook* const outer_;
};

// Fails the hook.
[[noreturn]] void throw_kept();

// Calls f(Hook&), which calls Python.
template <typename F>
void in_hook(Pool& pool, F&& f) {
  const Gil gil;
  Hook hook(pool);
  try {
    f(hook);
    hook.end();
  } catch (py::error_already_set& error) {
    throw_error_of(error);
  } catch (const py::builtin_exception& wrong) {  // what a hook returned is of another type
    throw_error_of(wrong);
  }
}
template <typename F>
void in_hook(F&& f) {
  Pool pool;
  in_hook(pool, std::forward<F>(f));
}

// Arrays of NumPy with memory of their own.
py::object array_of(std::span<const double> numbers);
py::object array_of(std::span<const std::uint64_t> numbers);
py::object array_of(std::span<const std::int64_t> numbers);
py::object array_of(std::span<const std::uint32_t> numbers);
py::object zeros(std::size_t rows, std::size_t width);
// Whether nothing but `array` refers to it, after objects that only refer to each other are collected.
bool is_alone(const py::object& array);
// Any object that NumPy takes for numbers, as a contiguous array; throws TypeError of Python.
py::object doubles_of(const py::object& numbers);
py::object counts_of(const py::object& numbers);

// The memory of an array that is contiguous.
struct Plain {
  std::byte* data = nullptr;
  std::size_t count = 0, width = 0;  // numbers, and bytes of one
  std::span<const std::byte> bytes() const { return {data, count * width}; }
};
// Throws TypeError of Python if the object is no contiguous array of numbers.
Plain plain_numbers(const py::object& array, const char* what);
// A copy that is contiguous, owned, and of numbers.
py::object own_copy(const py::object& array, const char* what);
// A new array of this one's type: `count` numbers, with its dimensions but the first.  Null if they do not fit.
py::object array_like(const py::object& array, std::span<const std::byte> bytes);
void set_writable(const py::object& array, bool writable);
template <typename T>
std::span<const T> span_of(const py::object& array) {
  const Plain plain = plain_numbers(array, "numbers");
  return {reinterpret_cast<const T*>(plain.data), plain.count};
}

}  // namespace rota::python
