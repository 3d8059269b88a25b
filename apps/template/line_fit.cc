// The smallest whole app: the line y = a + b x through points, by least squares.  The input has lines "X Y".
#include <rota/io/lines_app.h>
#include <rota/plugin.h>

#include <ostream>

namespace {
using namespace rota;

using Point = std::pair<double, double>;  // x, y

// A shard: point i of the input belongs to shard i mod S.  The only row of the table is (a, b).  A part: the sums of r,
// r x, 1, x and x^2 over the points, r = y - a - b x.
class PointsPush final : public ItemsPush<Point> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> part = task.parts[0];
    for (const auto& [x, y] : items_) {
      const double r = residual(x, y), summands[] = {r, r * x, 1, x, x * x};
      for (std::size_t i = 0; i < 5; ++i) part[i] += summands[i];
    }
    return items_.size();
  }
  void evaluate(Terms terms) const override {
    for (const auto& [x, y] : items_) terms["squares"] += residual(x, y) * residual(x, y);
  }

 private:
  double residual(double x, double y) const { return y - table_.row(0)[0] - table_.row(0)[1] * x; }
};

class LineFit final : public io::LinesApp<PointsPush> {
 public:
  using LinesApp::LinesApp;
  std::string_view form() const override { return "X Y"; }
  Table table(const Facts&) const override { return {.name = "line", .keys = 1, .row_width = 2, .part_width = 5}; }
  std::vector<Term> terms() const override { return {{"squares", Term::Kind::objective}}; }
  std::unique_ptr<Pull> pull(const Facts&) const override {
    return row_pull([](std::span<const double> sum, std::span<double> line) {
      const double determinant = sum[2] * sum[4] - sum[3] * sum[3];  // 0 if all points have the same x: then no number
      line[0] += (sum[0] * sum[4] - sum[1] * sum[3]) / determinant;
      line[1] += (sum[1] * sum[2] - sum[0] * sum[3]) / determinant;
    });
  }
};

void show(const Call& call, std::ostream& out) {
  out << "y = " << call.model->row(0, 0)[0] << " + " << call.model->row(0, 0)[1] << " x\n";
}
constexpr Command kCommands[] = {{"show", "Prints the line.", {}, show}};
}  // namespace

ROTA_APP(LineFit, .name = "line_fit", .summary = "A line through points.", .items = "points", .commands = kCommands);
