#include "apps/lasso/by_rows/schedule.h"

#include <algorithm>

namespace rota::lasso {
namespace {

std::uint32_t option_of(const Job& job, const char* name) {
  return job.options.has(name) ? static_cast<std::uint32_t>(job.options.integer(name)) : 0;
}

}  // namespace

RowsSchedule::RowsSchedule(const Settings& settings, const Job& job, Share share,
                           std::unique_ptr<Interference> interference)
    : staleness_(option_of(job, "staleness")),
      course_(settings, share, staleness_),
      draws_(settings, share, staleness_, pipeline(option_of(job, "pipeline")), std::move(interference)) {}

// A coefficient is free again once it was fed back, so that must not be before pushes see its change.
std::uint32_t RowsSchedule::pipeline(std::uint32_t wish) const {
  return std::max(wish > 0 ? wish : staleness_ + 2, staleness_ + 1);
}

Round RowsSchedule::next(Random& random) {
  Round round = course_.next();
  if (argument_of(round.argument).step == Step::update) draws_.draw(round, random);
  return round;
}

void RowsSchedule::feedback(const Commit& commit) {
  switch (argument_of(commit.argument).step) {
    case Step::start:
      draws_.know(read_whole(commit.reply, read_rows_shape).curvatures);
      return course_.note(commit);
    case Step::screen:
      course_.judge(read_whole(commit.reply, read_rows_certificate));
      return draws_.prefer(course_.good(), course_.batch());
    case Step::update:
      draws_.feedback(commit);
      return course_.note(commit);
    case Step::undo:
      return course_.note(commit);
    default:
      return;
  }
}

std::vector<Figure> RowsSchedule::figures() {
  std::vector<Figure> figures = course_.figures();
  for (Figure& figure : draws_.figures()) figures.push_back(std::move(figure));
  return figures;
}

void RowsSchedule::save(Writer& out) const {
  course_.save(out);
  draws_.save(out);
}

void RowsSchedule::restore(Reader& in) {
  course_.restore(in);
  draws_.restore(in, course_.batch());
}

}  // namespace rota::lasso
