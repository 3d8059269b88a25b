#include "apps/lasso/by_rows/schedule.h"

#include <algorithm>

namespace rota::lasso {

RowsSchedule::RowsSchedule(const Settings& settings, const Job& job, Share share,
                           std::unique_ptr<Interference> interference)
    : staleness_(job.staleness),
      controller_(settings, share, staleness_),
      sampler_(settings, share, staleness_, pipeline(job.pipeline), std::move(interference)) {}

// A coefficient becomes free at its feedback, which must not come before pushes see its change.
std::uint32_t RowsSchedule::pipeline(std::uint32_t wish) const {
  return std::max(wish > 0 ? wish : staleness_ + 2, staleness_ + 1);
}

Round RowsSchedule::next(Random& random) {
  Round round = controller_.next();
  if (argument_of(round.argument).step == Step::update) sampler_.draw(round, random);
  return round;
}

void RowsSchedule::feedback(const Commit& commit) {
  switch (argument_of(commit.argument).step) {
    case Step::start:
      sampler_.set_curvatures(read_fields<RowsShape>(commit.reply).curvatures);
      return controller_.record_changes(commit);
    case Step::screen:
      controller_.evaluate_screen(read_fields<RowsCertificate>(commit.reply));
      return sampler_.set_priorities(controller_.good(), controller_.batch());
    case Step::update:
      sampler_.feedback(commit);
      return controller_.record_changes(commit);
    case Step::undo:
      return controller_.record_changes(commit);
    default:
      return;
  }
}

std::vector<Figure> RowsSchedule::figures() {
  std::vector<Figure> figures = controller_.figures();
  for (Figure& figure : sampler_.figures()) figures.push_back(std::move(figure));
  return figures;
}

void RowsSchedule::save(Writer& out) const {
  write_fields(out, controller_);
  sampler_.save(out);
}

void RowsSchedule::restore(Reader& in) {
  FieldReader list(in);
  list(controller_);
  sampler_.restore(in, controller_.batch());
}

}  // namespace rota::lasso
