#include "python/module/training.h"

#include <malloc.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/clock.h"
#include "core/base/option_value.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/framework_options.h"
#include "core/job/input_files.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"
#include "core/records/evaluated_epoch.h"
#include "python/module/failure.h"
#include "rota/memory_input.h"

namespace rota::python {
namespace {

// What the Watcher throws, which is not the app's fault.
struct Stopped {
  std::exception_ptr why;
};

class Training {
 public:
  Training(const Request& request, Watcher& watcher) : plugin_(request.plugin), watcher_(watcher) {
    guard([&] {
      Job job = serial_job(plugin_, request.options, request.input, request.valid);
      warn_of_ignored(request.options, job.options);
      take_packed_data(job);
      const Options options = job.options;
      job.initial = request.initial ? request.initial : must(initial_model(plugin_, options));
      const auto number = [&](const char* name) { return static_cast<Epoch>(options.integer(name)); };
      job.threads = number("threads");
      last_ = number("epochs") > 0 ? number("epochs") : plugin_.epochs;
      eval_every_ = number("eval_every");
      best_epoch_ = BestEpoch(static_cast<std::uint32_t>(number("patience")));
      host_.emplace(plugin_, std::move(job), [this](const char* hook, RoundId round) { trace(hook, round); });
      const std::vector<Score> scores = host_->app().scores();
      must(check_scores(host_->app().terms(), scores));
      if (!request.valid.empty()) must(check_held_out(std::string(plugin_.name), scores));
    });
  }

  MemoryModel run() {
    guard([&] {
      bool over = false;
      while (!over) {
        trace("epoch", host_->rounds());
        const Nanoseconds begin = now_ns();
        host_->run_epoch();
        trained_ += now_ns() - begin;
        const Epoch epoch = host_->epochs() - 1;
        over = host_->done() || (last_ > 0 && epoch >= last_);
        if (over || (eval_every_ > 0 && epoch % eval_every_ == 0)) over = evaluate(epoch) || over;
      }
    });
    std::optional<MemoryModel> model;
    guard([&] {
      std::string hash = best_ ? best_hash_ : host_->model_hash();
      model = best_ ? std::move(best_) : MemoryModel(*host_, true);
      model->outcome.model_hash = std::move(hash);
      model->outcome.epochs = host_->epochs() - 1;
      model->outcome.history = std::move(history_);
      model->outcome.converged = host_->converged();
    });
    return *std::move(model);
  }

 private:
  // `taken` has the defaults of options that change nothing.
  void warn_of_ignored(const std::map<std::string, std::string>& given, const Options& taken) {
    const std::vector<Option> table = options_of_job(plugin_);
    auto values = taken.all();
    for (const auto& [name, value] : given)
      values[name] = must(checked_value(*std::ranges::find(table, name, &Option::name), value));
    for (const IgnoredOption& one : ignored_options(table, Options(std::move(values)))) watcher_.warned(one.text());
  }

  // Data by shard, if that is what the input names.
  void take_packed_data(Job& job) {
    const bool memory = std::ranges::any_of(job.input, is_memory_name);
    if (memory || job.input.empty()) return;
    std::string joined;
    for (const std::string& file : job.input) joined += (joined.empty() ? "" : ",") + file;
    job.input = must(data_files(joined));
  }

  void trace(const char* hook, RoundId round) {
    hook_ = hook;
    round_ = round;
    if (std::string_view(hook) == "tables") malloc_trim(0);  // what was of use only while data were loaded
    try {
      watcher_.breathe();
    } catch (...) {
      throw Stopped{std::current_exception()};
    }
  }

  // Calls it, and makes a Failure of what hooks throw; what the Watcher or Python code threw stays as it is.
  template <typename F>
  void guard(F f) {
    try {
      f();
    } catch (const Stopped& stopped) {
      std::rethrow_exception(stopped.why);
    } catch (const Failure&) {
      throw;
    } catch (const DataError& error) {
      throw Failure(ExitCode::bad_data, error.what());
    } catch (const UsageError& error) {
      throw Failure(ExitCode::usage, error.what());
    } catch (const NoInput& error) {
      throw Failure(ExitCode::no_input, error.what());
    } catch (const pybind11::error_already_set&) {
      throw;  // of an app in Python
    } catch (...) {
      const std::string where = round_ == 0 ? std::string() : "round " + std::to_string(round_);
      throw Failure(hook_failed(plugin_.name, hook_, where));
    }
  }
  // Whether the job ends: no better score of held-out data for --patience evaluations.
  bool evaluate(Epoch epoch) {
    const std::vector<Term> terms = host_->app().terms();
    const std::vector<double> sums = host_->evaluate();
    Evaluation now;
    now.epoch = epoch;
    now.seconds = seconds_of(trained_);
    now.items = host_->items();
    const std::vector<Score> scores = host_->app().scores();
    EpochRecord record;
    fill_scores(terms, scores, sums, now.items, record);
    now.terms = std::move(record.terms);
    now.objective = record.objective;
    now.per_item = record.per_item;
    now.valid = record.valid;
    for (const Figure& figure : host_->figures()) now.figures.emplace_back(figure.name, figure.value);
    now.converged = host_->converged();
    history_.push_back(now);
    try {
      watcher_.evaluated(now);
    } catch (...) {
      throw Stopped{std::current_exception()};
    }
    return best_epoch_.follows() && follow(now, held_out_score(scores));
  }

  bool follow(const Evaluation& now, const Score* score) {
    if (score == nullptr)
      throw UsageError("--patience: " + std::string(plugin_.name) + " has no score of held-out data");
    if (now.valid && best_epoch_.add(now.epoch, *now.valid, score->better)) {
      best_.emplace(*host_, false);
      best_hash_ = host_->model_hash();
    }
    return best_epoch_.over();
  }

  const Plugin& plugin_;
  Watcher& watcher_;
  std::optional<SerialHost> host_;
  const char* hook_ = "job";
  RoundId round_ = 0;
  Epoch last_ = 0, eval_every_ = 1;
  Nanoseconds trained_ = 0;
  std::vector<Evaluation> history_;
  // With patience.
  BestEpoch best_epoch_{0};
  std::optional<MemoryModel> best_;
  std::string best_hash_;
};

}  // namespace

MemoryModel train(const Request& request, Watcher& watcher) {
  MemoryModel model = Training(request, watcher).run();
  malloc_trim(0);  // the training's memory, which the C library would keep
  return model;
}

Options checked_options(std::span<const Option> table, const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : table) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : given) {
    const auto option = std::ranges::find(table, name, &Option::name);
    if (option == table.end()) throw Failure(ExitCode::usage, "there is no option --" + name);
    values[name] = must(checked_value(*option, value));
    if (option->kind == Option::Kind::path && !value.empty() && !is_memory_name(value))
      values[name] = absolute_path(values[name]);
  }
  return Options(std::move(values));
}

}  // namespace rota::python
