#include "coordinator/run_metrics.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/json_text.h"
#include "core/base/version.h"

namespace rota {

namespace {

constexpr const char* kPhases[] = {"gathering", "loading",   "cutting",    "preparing",
                                   "training",  "finishing", "recovering", "migrating"};

std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

// A label as the text format has it.
std::string label(std::string_view name, std::string_view value) {
  std::string text = std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    c == '\n' ? text += "\\n" : text += c;
  }
  return text + "\"";
}

// A metric with all its series.
class Family {
 public:
  Family(std::string& to, std::string_view name, const char* type, std::string_view help) : to_(to), name_(name) {
    to_ += "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void add(const std::string& labels, double value) { to_ += name_ + "{" + labels + "} " + number_text(value) + "\n"; }
  void add(double value) { to_ += name_ + " " + number_text(value) + "\n"; }

 private:
  std::string& to_;
  std::string name_;
};

// null stands for what is no number.
double value_of(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::map<std::string, double> values_by_name(const nlohmann::json& record, const char* field) {
  std::map<std::string, double> values;
  if (const auto found = record.find(field); found != record.end() && found->is_object())
    for (const auto& [name, value] : found->items()) values[name] = value_of(value);
  return values;
}

}  // namespace

RunMetrics::RunMetrics(std::string app, std::uint32_t workers, double epochs, double started)
    : app_(std::move(app)), started_(started), epochs_(epochs) {
  for (std::uint32_t worker = 0; worker < workers; ++worker) workers_["worker-" + std::to_string(worker)];
}

void RunMetrics::take(std::string_view line) {
  const auto record = nlohmann::json::parse(line, nullptr, false);
  if (!record.is_object()) return;
  const std::string event = text_in(record, "event");
  const double epoch = number_in(record, "epoch");
  assignment_.take(event, record);
  if (event == "epoch") return take_epoch(record);
  if (event == "hosts") workers_[text_in(record, "role")];
  if (event == "phase") phase_ = text_in(record, "phase");
  if (event == "lost") ++lost_;
  if (event == "rollback") ++rollbacks_, epoch_ = epoch;
  if (event == "resume") ++resumes_, epoch_ = checkpoint_ = epoch;
  if (event == "resume_without_checkpoint") ++resumes_, epoch_ = checkpoint_ = checkpoint_time_ = 0;
  if (event == "resume" || event == "resume_without_checkpoint") phase_ = "gathering";
  if (event == "checkpoint") ++checkpoints_, checkpoint_ = epoch, checkpoint_time_ = number_in(record, "time");
}

void RunMetrics::take_epoch(const nlohmann::json& record) {
  epoch_ = number_in(record, "epoch");
  epochs_ = number_in(record, "epochs");
  epoch_time_ = number_in(record, "time");
  training_seconds_ = number_in(record, "seconds");
  items_per_second_ = number_in(record, "items_per_second");
  if (const auto objective = record.find("objective"); objective != record.end()) {
    objective_ = value_of(*objective);
    terms_ = values_by_name(record, "terms");
  }
  if (const auto valid = record.find("valid"); valid != record.end()) valid_ = value_of(*valid);
  if (record.contains("schedule")) figures_ = values_by_name(record, "schedule");
  ++computed_;
  items_ += number_in(record, "items");
  sent_ += number_in(record, "bytes_sent");
  slices_ += number_in(record, "slice_bytes");
  exchanged_ += number_in(record, "exchange_bytes");
  const auto by_worker = [&](const char* field, const auto& take) {
    const auto numbers = record.find(field);
    if (numbers == record.end() || numbers->size() != assignment_.hosts().size()) return;
    auto host = assignment_.hosts().begin();
    for (const auto& number : *numbers)
      if (auto& worker = workers_[(host++)->first]; value_of(number) > 0) take(worker, value_of(number));
  };
  by_worker("compute_seconds", [](OfWorker& worker, double seconds) { worker.compute_seconds += seconds; });
  by_worker("wire_seconds", [](OfWorker& worker, double seconds) { worker.wire_seconds += seconds; });
  by_worker("wait_seconds", [](OfWorker& worker, double seconds) { worker.wait_seconds += seconds; });
  for (auto& [name, worker] : workers_) worker.memory = 0;  // of one that has left
  by_worker("memory_bytes", [](OfWorker& worker, double bytes) { worker.memory = bytes; });
  by_worker("peak_memory_bytes", [](OfWorker& worker, double bytes) { worker.peak_memory = bytes; });
}

std::string RunMetrics::text() const {
  std::string text;
  const auto one = [&](const char* name, const char* type, double value, const char* help) {
    Family(text, name, type, help).add(value);
  };
  const auto by_name = [&](const char* name, const char* help, const std::map<std::string, double>& values) {
    if (values.empty()) return;
    Family family(text, name, "gauge", help);
    for (const auto& [of, value] : values) family.add(label("name", of), value);
  };
  const auto by_worker = [&](const char* name, const char* type, const char* help, double OfWorker::*value) {
    Family family(text, name, type, help);
    for (const auto& [worker, of] : workers_) family.add(label("worker", worker), of.*value);
  };
  Family(text, "rota_build_info", "gauge", "Version of Rota and the app of the run.")
      .add(label("version", kVersion) + "," + label("app", app_), 1);
  one("rota_start_timestamp_seconds", "gauge", started_, "When this start of the coordinator began.");
  Family phases(text, "rota_phase", "gauge", "Whether the run is in this phase.");
  for (const char* phase : kPhases) phases.add(label("phase", phase), phase == phase_ ? 1 : 0);
  one("rota_epoch", "gauge", epoch_, "The newest epoch that is over; falls after a rollback.");
  one("rota_epochs", "gauge", epochs_, "Epochs of the whole job; 0: not known.");
  one("rota_epoch_timestamp_seconds", "gauge", epoch_time_, "When the newest epoch was over; 0: none is.");
  one("rota_training_seconds", "gauge", training_seconds_, "Seconds of training that led to the newest epoch.");
  one("rota_objective", "gauge", objective_, "Objective at the newest evaluation.");
  one("rota_valid_score", "gauge", valid_, "Score of held-out data at the newest evaluation.");
  by_name("rota_term", "Terms and scores at the newest evaluation.", terms_);
  by_name("rota_schedule", "Figures of the schedule in the newest epoch.", figures_);
  one("rota_items_per_second", "gauge", items_per_second_, "Items visited per second in the newest epoch.");
  one("rota_computed_epochs_total", "counter", computed_, "Epochs computed, repeated ones too.");
  one("rota_items_total", "counter", items_, "Items visited.");
  one("rota_sent_bytes_total", "counter", sent_, "Bytes sent by workers.");
  one("rota_slice_bytes_total", "counter", slices_, "Part of it: slices.");
  one("rota_exchange_bytes_total", "counter", exchanged_, "Bytes exchanged between shards, inside a process too.");
  one("rota_workers", "gauge", static_cast<double>(assignment_.hosts().size()), "Workers that host shards.");
  by_worker("rota_worker_compute_seconds_total", "counter", "Seconds that the worker's threads computed.",
            &OfWorker::compute_seconds);
  by_worker("rota_worker_wire_seconds_total", "counter", "Seconds that the worker spent on messages.",
            &OfWorker::wire_seconds);
  by_worker("rota_worker_wait_seconds_total", "counter", "Seconds that the worker's threads waited.",
            &OfWorker::wait_seconds);
  by_worker("rota_worker_memory_bytes", "gauge", "Resident memory at the end of the newest epoch; 0: hosts no shards.",
            &OfWorker::memory);
  by_worker("rota_worker_peak_memory_bytes", "gauge", "Most resident memory until the newest epoch.",
            &OfWorker::peak_memory);
  one("rota_checkpoint_epoch", "gauge", checkpoint_, "Epoch of the newest valid checkpoint.");
  one("rota_checkpoint_timestamp_seconds", "gauge", checkpoint_time_, "When it became valid; 0: there is none.");
  one("rota_checkpoints_total", "counter", checkpoints_, "Checkpoints that became valid.");
  one("rota_processes_lost_total", "counter", lost_, "Processes of the running job that were lost.");
  one("rota_rollbacks_total", "counter", rollbacks_, "Rollbacks to a checkpoint or to the beginning.");
  one("rota_resumes_total", "counter", resumes_, "Restarts of the coordinator that continued the run.");
  return text;
}

}  // namespace rota
