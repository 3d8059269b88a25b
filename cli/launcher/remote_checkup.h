// cli/launcher/remote_checkup.h -- whether other machines can run processes of a job, and reach this one.
#pragma once
#include <cstddef>
#include <string>

#include "cli/launcher/checkup.h"
#include "cli/launcher/network.h"
#include "core/base/status.h"

namespace rota {

// Prints findings as they come.  The first failure decides how `rota doctor` ends.
class CheckupReport {
 public:
  // `machine`: "" for this one.
  void add(const std::string& machine, const Finding& finding);
  // What another machine printed.
  void line(const std::string& machine, const std::string& text);
  void failed(ExitCode code);
  Status end() const;

 private:
  ExitCode code_ = ExitCode::ok;
};

// Runs `rota doctor FOLDER` on a machine, and tries to reach it, and it this one.  Fails if it cannot report.
Status examine_machine(const Network& network, std::size_t index, const std::string& folder, CheckupReport& report);

// The other end: on the machine that is examined from the address `from`.
Status answer_checkup(const std::string& from, CheckupReport& report);

}  // namespace rota
