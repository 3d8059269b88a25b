// cli/web/seen_run.h -- a run as one sees it: lines of its records, and how it goes.  From its folder (folder_run.h),
// or from what its coordinator says (remote_run.h).
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace rota {

using Json = nlohmann::ordered_json;

// One thread at a time.
class SeenRun {
 public:
  enum class Kind { metrics, events, epochs };  // events: without those of epochs

  virtual ~SeenRun() = default;

  // Looks again.  True if lines that were there are gone: a rollback, a run that was started again.
  virtual bool update() = 0;
  virtual std::size_t lines(Kind kind) const = 0;
  // Their texts, by number from 0.  Each may be anything.
  virtual std::vector<std::string> read(Kind kind, std::span<const std::size_t> numbers) const = 0;
  // For people: "metrics.jsonl line 17".
  virtual std::string place_of(Kind kind, std::size_t number) const = 0;

  // How it goes: name, app, state (running, done, ended, stale), state_text, epoch, checkpoint, ...  With "now".
  virtual Json brief() const = 0;
  // What does not change while it runs, and its result: options, result, version (of Rota, that ran it last, or null).
  virtual Json facts() const = 0;
  // What is wrong with its files.
  virtual std::vector<std::string> problems() const = 0;

  // All of it as one JSON object, the answer of /api/run: at most `points` records of metrics and epochs, evenly
  // spaced, and the newest events.
  std::string whole(std::size_t points) const;
  // Lines from this number on, at most `most` of them, evenly spaced, and only JSON objects.
  std::vector<std::string> since(Kind kind, std::size_t first, std::size_t most) const;
};

// Whether a line is what a record must be.  Then it can stand in other JSON as it is.
bool is_json_object(const std::string& line);
// "{}" for what is no JSON object.
nlohmann::json parse_record(const std::string& line);
// The system's clock, in seconds since 1970.
double clock_seconds();

}  // namespace rota
