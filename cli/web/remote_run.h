// cli/web/remote_run.h -- a run of which only its coordinator's address is known: what `rota status` gets, collected
// since this program looks.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/web/seen_run.h"
#include "core/base/clock.h"
#include "core/base/status.h"

namespace rota {

class RemoteRun final : public SeenRun {
 public:
  // ExitCode::usage or not_authorised if the address or the keys are wrong; one that does not answer may do so later.
  static Result<std::unique_ptr<RemoteRun>> open(const std::string& address, const std::filesystem::path& keys,
                                                 const std::string& name);

  // Asks the coordinator, at most once a second.
  bool update() override;
  std::size_t lines(Kind kind) const override;
  std::vector<std::string> read(Kind kind, std::span<const std::size_t> numbers) const override;
  std::string place_of(Kind kind, std::size_t number) const override;
  Json brief() const override;
  Json facts() const override;
  std::vector<std::string> problems() const override;

  // Takes an answer; "": there was none, for this reason.  As update().
  bool take(const std::string& answer, const std::string& why);

 private:
  RemoteRun(std::string address, std::filesystem::path keys, std::string name)
      : address_(std::move(address)), keys_(std::move(keys)), name_(std::move(name)) {}

  std::string address_;
  std::filesystem::path keys_;
  std::string name_;
  Nanoseconds asked_ = 0;  // 0: never
  nlohmann::json answer_;  // the newest; null: none yet
  std::string silent_;     // why the newest question was not answered
  std::string newest_;     // the newest record, as it came
  std::vector<std::string> metrics_, epochs_;
  double started_ = 0, changed_ = 0;
};

}  // namespace rota
