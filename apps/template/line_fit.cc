// The smallest whole app: the line y = a + b x through points, by least squares.  The input has lines "X Y".
#include <rota/io/line_fields.h>
#include <rota/io/lines.h>
#include <rota/plugin.h>
#include <rota/schedules/sweep.h>
#include <rota/shards.h>

#include <ostream>

namespace {
using namespace rota;
using Points = std::vector<std::pair<double, double>>;
// Row 0 of the shared table is (a, b); the table is dense, so every push can read it.  A part: the sums of r, r x,
// 1, x and x^2 over the points, r = y - a - b x.
class LinePush final : public SharedPush {
 public:
  explicit LinePush(Points points) : points_(std::move(points)) {}
  std::uint64_t items() const override { return points_.size(); }
  void attach(const Shape& shape) override { line_ = shape.views[0]; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> part = task.entries[0].part;
    for (const auto& [x, y] : points_) {
      const double r = residual(x, y), summands[] = {r, r * x, 1, x, x * x};
      for (std::size_t i = 0; i < 5; ++i) part[i] += summands[i];
    }
    return points_.size();
  }
  void evaluate(Terms terms) const override {
    for (const auto& [x, y] : points_) terms[0] += residual(x, y) * residual(x, y);
  }

 private:
  double residual(double x, double y) const { return y - line_.row(0)[0] - line_.row(0)[1] * x; }

  Points points_;
  TableView line_;  // as last committed
};

class LinePull final : public Pull {
  void pull(const PullTask& task) override {
    const auto [key, sum, value] = task.entries[0];
    const double determinant = sum[2] * sum[4] - sum[3] * sum[3];  // 0 if all points have the same x: then no number
    value[0] += (sum[0] * sum[4] - sum[1] * sum[3]) / determinant;
    value[1] += (sum[1] * sum[2] - sum[0] * sum[3]) / determinant;
  }
};

class LineFit final : public App {
 public:
  explicit LineFit(const Job& job) : job_(job) {}

  // Point i belongs to shard i mod S: a rule that depends on the job alone.
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    HostedShards<Points> shards(job_.shards, hosted);
    std::uint64_t count = 0;
    for (const std::string& file : job_.input) {
      io::Lines lines(file);  // plain, .gz, .bz2, .xz or .zst
      double x = 0, y = 0;
      for (std::string_view line; lines.next(line); ++count) {
        if (!io::read_line(line, x, y)) lines.fail("expected X Y, found " + io::quoted(line));
        if (Points* const points = shards.of_item(count)) points->emplace_back(x, y);
      }
    }
    std::vector<std::unique_ptr<Push>> out;
    for (Points& points : shards.all()) out.push_back(std::make_unique<LinePush>(std::move(points)));
    return out;
  }
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "line", .keys = 1, .row_width = 2, .part_width = 5, .dense = true}};
  }
  std::vector<Term> terms() const override { return {{"squares", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<RoundRobinSchedule>(0, 1, 1);  // row 0 of table 0, in every round
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<LinePull>(); }

 private:
  const Job& job_;
};

void show(const Call& call, std::ostream& out) {
  out << "y = " << call.model->row(0, 0)[0] << " + " << call.model->row(0, 0)[1] << " x\n";
}
constexpr Command kCommands[] = {{"show", "Prints the line.", {}, show}};

Plugin make() {
  Plugin plugin;
  plugin.name = "line_fit";
  plugin.summary = "A line through points.";
  plugin.items = "points";
  plugin.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<LineFit>(job); };
  plugin.commands = kCommands;
  return plugin;
}
}  // namespace

ROTA_PLUGIN(make);
