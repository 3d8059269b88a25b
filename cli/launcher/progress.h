// cli/launcher/progress.h -- shows a user how the run goes, from the coordinator's records: one line that is redrawn
// on a terminal, a line for each epoch elsewhere.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/flags.h"

namespace rota {

// "epoch 3/20  objective -3901234.5 (-8.341 per item)  1.21 s  11.2M tokens/s  2 workers  6.9 s left"
// or on a narrow terminal: "[#.........] 3/20  -8.341/item  1.21 s  11.2M tokens/s  2 workers  6.9 s left"
std::string epoch_line(const nlohmann::json& epoch, bool narrow = false);
// 1234567 -> "1.23M"
std::string short_number(double number);

// On stderr: flags that the command line gives more than once, of which the last counts.
void tell_of_repeated(const CommandLine& line);

class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Takes a record of the coordinator's.
  void record(const nlohmann::json& record);
  // A message to the user, on stderr, above the line that is being drawn.
  void say(std::string_view text);
  // Leaves the line as it is, and draws no more.
  void end();

 private:
  void draw(const std::string& line);

  bool terminal_;
  std::string line_;  // as drawn now
};

}  // namespace rota
