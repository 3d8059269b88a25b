#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "apps/lasso/by_columns/hooks.h"
#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/fit_sequence.h"
#include "apps/lasso/solver/reduced_problem.h"

namespace rota::lasso {
namespace {

class ColumnsPull final : public Pull {
 public:
  ColumnsPull(const ColumnSettings& settings, std::uint64_t seed, DataHere here)
      : settings_(settings), seed_(seed), here_(std::move(here)) {}

  void pull(const PullTask& task) override {
    const auto argument = task.argument.as<ColumnsStep>();
    penalty_ = settings_.penalty(argument.lambda);
    switch (argument.step) {
      case Step::start:
        return start(task, argument);
      case Step::screen:
        return screen(task, argument.wanted);
      case Step::solve:
        return solve(task, argument);
      default:
        return record_fit(
            task, [&] { return fit_row(argument); },
            [&](Key column) { return column == kIntercept ? problem_->intercept() : problem_->coefficient(column); });
    }
  }

  // Adds the objective's loss and penalty, and the number of coefficients that are not zero.
  void evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const override {
    if (table != kCoefficients) return;
    if (key == kIntercept) {
      terms["loss"] += problem_->loss();
      terms["penalty"] += problem_->penalty_value(penalty_);
    } else if (value[0] != 0) {
      terms["nonzeros"] += 1;
    }
  }

  void state(Archive& list) override {
    bool begun = problem_.has_value();
    list(begun);
    if (list.reads()) problem_.reset();
    if (!begun) return;
    if (!list.reads()) {
      list(rows_->data);
    } else {
      DataNote data;
      list(data);
      list.check(!data.response.empty());
      if (!list.ok()) return;
      rows_ = std::make_shared<const RowData>(std::move(data), settings_, seed_);
      begin_problem(0);
    }
    list(penalty_, null_loss_, gap_, gap_at_, steepest_);
    problem_->state(list);
  }

 private:
  // A fit on other rows begins, with no coefficient.
  void start(const PullTask& task, const FitStep& argument) {
    if (!problem_) {
      rows_ = here_.rows != nullptr ? here_.rows : reported(task.notes);
      begin_problem(argument.fold);
    } else {
      problem_->reset();
      problem_->drop_zeros({});
      problem_->set_weights(rows_->weights(argument.fold, settings_));
    }
    null_loss_ = problem_->loss();
    gap_ = null_loss_;
    task.entries[0].value[0] = problem_->intercept();
    reply_gradient(task);
  }

  // For the next screen.
  void reply_gradient(const PullTask& task) const {
    write_numbers(task.reply, problem_->gradient());
    task.reply_to = ReplyTo::shards;
  }

  std::shared_ptr<const RowData> reported(std::span<const Bytes> notes) const {
    const auto note = std::ranges::find_if(notes, [](const Bytes& one) { return !one.empty(); });
    if (note == notes.end()) throw std::runtime_error("no shard reported the data");
    return std::make_shared<const RowData>(read_fields<DataNote>(*note), settings_, seed_);
  }

  // Of the rows outside of the fold, without columns.
  void begin_problem(std::uint32_t fold) {
    double largest = 0;
    for (const double one : rows_->data.response) largest = std::max(largest, std::abs(one));
    if (largest > 0 && largest * largest < kLeastSquare) refuse_tiny("the response", largest);
    problem_.emplace(settings_.loss, settings_.intercept, rows_->data.response, rows_->weights(fold, settings_));
  }

  // Adds new columns to the working set, drops those no longer named, and solves.
  void solve(const PullTask& task, const ColumnsStep& argument) {
    for (std::size_t shard = 0; shard < task.notes.size(); ++shard) {
      Reader in(task.notes[shard].view());
      Archive list(in);
      while (in.ok() && !in.done()) {
        ColumnNote column;
        list(column);
        if (!in.ok() || problem_->contains(column.column)) continue;
        const auto seen = column.rows.empty() && !here_.columns.empty()
                              ? here_.columns[shard]->seen_column(column.column)
                              : std::nullopt;
        if (seen)
          problem_->add_column(column.column, column.scale, *seen);
        else if (column.singles.empty())
          problem_->add_column(column.column, column.scale, std::move(column.rows), column.values);
        else
          problem_->add_column(column.column, column.scale, std::move(column.rows), column.singles);
      }
      if (!in.done()) throw std::runtime_error("damaged data: a column");
    }
    if (problem_->coefficients().size() + 1 > task.entries.size()) {
      std::vector<Key> named;
      for (const PullEntry& entry : task.entries) named.push_back(entry.key);
      problem_->drop_zeros(named);
    }
    // For a new penalty there is no gap yet, but the gradient is still that of the last screen.
    const double gap = gap_at_ == penalty_.l1 ? gap_ : problem_->gap(penalty_, steepest_ / penalty_.l1).gap;
    problem_->solve(penalty_, std::max(argument.share * gap, argument.least));
    for (const PullEntry& entry : task.entries)
      entry.value[0] = entry.key == kIntercept ? problem_->intercept() : problem_->coefficient(entry.key);
    reply_gradient(task);
  }

  // Combines the shards' screenings: the fit's distance from its optimum, and the candidates.
  void screen(const PullTask& task, std::size_t wanted) {
    Certificate certificate;
    std::vector<Candidate>& nearest = certificate.candidates;  // a heap, the farthest first, until all are seen
    for (const Bytes& note : task.notes) {
      Reader in(note.view());
      Archive list(in);
      Screening one;
      list(one);
      certificate.steepest = std::max(certificate.steepest, one.steepest);
      certificate.entries += one.entries;
      while (in.ok() && !in.done()) {
        Candidate next;
        list(next);
        if (nearest.size() == wanted) {
          if (nearest.front() < next) break;  // those after it are farther still
          std::ranges::pop_heap(nearest);
          nearest.pop_back();
        }
        nearest.push_back(next);
        std::ranges::push_heap(nearest);
      }
      if (!in.ok()) throw std::runtime_error("damaged data: a screening");
    }
    std::ranges::sort_heap(nearest);
    certificate.objective = problem_->objective(penalty_);
    certificate.null_objective = null_loss_;
    steepest_ = certificate.steepest;
    // Before the first penalty is known there is no gap.
    gap_ = penalty_.l1 > 0 ? problem_->gap(penalty_, steepest_ / penalty_.l1).gap : certificate.objective;
    gap_at_ = penalty_.l1;
    certificate.gap = gap_;
    write_fields(task.reply, certificate);
    task.reply_to = ReplyTo::schedule;
  }

  FitRow fit_row(const FitStep& argument) const {
    FitRow row;
    row.lambda = argument.lambda;
    row.objective = problem_->objective(penalty_);
    row.gap = gap_;
    row.nonzeros = static_cast<double>(problem_->nonzeros());
    row.loss = problem_->loss();
    row.null_loss = null_loss_;
    if (argument.fold > 0) {
      const Score score = problem_->score(weights_within(rows_->data.weights, rows_->folds, argument.fold));
      row.held_out = score.weight > 0 ? score.loss / score.weight : 0;
      row.held_out_weight = score.weight;
    }
    row.rows = static_cast<double>(rows_->data.response.size());
    row.columns = static_cast<double>(rows_->data.columns);
    row.set_classes(rows_->data.classes);
    return row;
  }

  ColumnSettings settings_;
  std::uint64_t seed_;
  DataHere here_;
  std::shared_ptr<const RowData> rows_;    // null before the first fit
  std::optional<ReducedProblem> problem_;  // of the current fit
  Penalty penalty_;
  double null_loss_ = 0;  // with no coefficient but the intercept
  double gap_ = 0;        // at the last screen
  double gap_at_ = 0;     // the penalty's l1 at that screen
  double steepest_ = 0;   // Certificate::steepest of that screen
};

}  // namespace

std::unique_ptr<Pull> columns_pull(const ColumnSettings& settings, std::uint64_t seed, DataHere here) {
  return std::make_unique<ColumnsPull>(settings, seed, std::move(here));
}

}  // namespace rota::lasso
