#!/usr/bin/env python3
"""functions.py finds where functions begin and end, and counts rather one too many than one too few."""
import sys
import unittest

sys.dont_write_bytecode = True
import functions


class FunctionsTest(unittest.TestCase):
    def expect(self, text, lines):
        self.assertEqual([(first, last) for first, last, _ in functions.functions(text)], lines)

    def test_functions_in_namespaces_and_classes(self):
        self.expect("""namespace a {
class B final : public C<int> {
 public:
  B(int x) : x_(x), y_{x}, z_{x} {
    y_ = 1;
  }
  auto size() const -> int { return x_; }
  int x_ = 0, y_{0};
};
template <typename T>
T
f(T x = {}) {
  return [&](int) { return x; }(3);
}
extern "C" {
void g() {}
}
}
""", [(4, 6), (7, 7), (10, 14), (16, 16)])

    def test_initialisers_and_types_are_none(self):
        self.expect("""struct Pair { int a, b; };
enum class Kind : int { one, two };
constexpr Pair kPairs[] = {{1, 2}, {3, 4}};
Pair pair{1, 2};
using Map = std::map<int, int>;
struct Pair made = {};
class alignas(64) Line {
  int x;
};
""", [])

    def test_braces_in_comments_literals_and_directives_do_not_count(self):
        self.expect(r"""void f() {  // {
  const char* x = "{\"{"; /* { */ char y = '{'; long z = 1'000'000;
  const char* w = R"x({ )" { )x";
}
#define M { \
  {
void g() {}
""", [(1, 4), (7, 7)])

    def test_what_is_not_understood_counts_as_a_function(self):
        self.expect("SOME_MACRO(a, b) strange {\n}\nvoid f() {\n}\n", [(1, 2), (3, 4)])

    def test_operators_macros_and_defaults(self):
        self.expect("""bool operator==(const A&, const A&) {
}
TEST(A, B) {
  if (x) {
  }
}
A::A(A&&) noexcept = default;
A::~A() {}
""", [(1, 2), (3, 6), (8, 8)])


if __name__ == "__main__":
    unittest.main()
