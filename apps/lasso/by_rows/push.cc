#include "apps/lasso/by_rows/push.h"

#include "apps/linear/ordered_sum.h"

namespace rota::lasso {

using namespace linear;

std::uint64_t RowsPush::push(const SharedTask& task, Random&) {
  const Argument argument = argument_of(task.argument);
  switch (argument.step) {
    case Step::start:
      write_fields(task.note, fit_.begin(argument.fold));
      return items();
    case Step::screen:
      if (repeats(task.argument)) return 0;
      write_fields(task.note, fit_.look());
      return items();
    case Step::update:
      return update(task);
    default:
      return 0;
  }
}

// The partial sums z_j = sum_i x_ij g_i over this shard's rows, and how the columns of each block interfere.
std::uint64_t RowsPush::update(const SharedTask& task) {
  const std::span<const double> g = fit_.slopes();
  const auto slope = [g](std::size_t i) { return g[i]; };
  std::uint64_t visited = 0;
  for (const Entry& entry : task.entries) {
    const auto j = static_cast<std::uint32_t>(entry.key);
    entry.part[0] = entry.key == kIntercept ? ordered_sum(g.size(), slope) : fit_.matrix().dot(j, g);
    visited += entry.key == kIntercept ? 0 : fit_.matrix().entries(j);
  }
  std::size_t at = 0;
  for (const std::uint32_t size : task.blocks) {
    dots_.add(task.entries.subspan(at, size), 1, fit_.weights());
    at += size;
  }
  return visited;
}

void RowsPush::refresh(const Commit& commit) {
  const Step step = argument_of(commit.argument).step;
  if (step == Step::update) return fit_.change(commit.deltas);
  if (step == Step::start) {
    const auto shape = read_fields<RowsShape>(commit.reply);
    fit_.divide_weights(shape.weight);
    fit_.shift(shape.shifts);
  }
  if (step == Step::start || step == Step::undo) fit_.restart(commit.deltas);
}

}  // namespace rota::lasso
