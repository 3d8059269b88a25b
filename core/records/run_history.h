// core/records/run_history.h -- reads the records of a run, metrics.jsonl and events.jsonl, while they are written or
// later.  Nothing is written, and nothing is locked.
//
// An index has the place of each line, and a line is read when it is asked for: a run of 100,000 epochs is open at
// once. What a run writes is appended, except after a rollback: then metrics.jsonl is another file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/job/run_folder.h"

namespace rota {

// Of a line, without its end.
struct LinePlace {
  std::uint64_t at = 0;
  std::uint32_t bytes = 0;
  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

// The whole lines of a file that grows.  A last line without an end is not there yet.
class LineIndex {
 public:
  // Lines that begin with `apart` are indexed by themselves; "": none are.
  explicit LineIndex(std::filesystem::path file, std::string apart = "")
      : file_(std::move(file)), apart_prefix_(std::move(apart)) {}

  // Looks for new lines.  True if lines that were there are there no longer, because the file was replaced, shortened
  // or removed: then the index is that of the new file.  There may be no file yet.
  bool update();

  const std::vector<LinePlace>& lines() const { return lines_; }
  const std::vector<LinePlace>& apart() const { return apart_; }
  // Whether a last line without an end follows them.
  bool is_torn() const { return size_ > end_; }
  // The text of lines, as of the last update(), even if the file was replaced since.  A line that cannot be read or is
  // longer than kLineBytesMax is "".
  std::vector<std::string> read(std::span<const LinePlace> places) const;
  // Of lines, those from number `first` on, at most `most`.
  static std::span<const LinePlace> from(const std::vector<LinePlace>& lines, std::size_t first,
                                         std::size_t most = SIZE_MAX);

  static constexpr std::uint32_t kLineBytesMax = std::uint32_t{4} << 20;

 private:
  void forget();
  bool is_same_file(const FileDescriptor& now) const;
  void scan(std::uint64_t size);
  void add(LinePlace place, std::string_view begin);

  std::filesystem::path file_;
  std::string apart_prefix_;
  FileDescriptor fd_;  // of the file that is indexed, also when another one has its name
  std::uint64_t size_ = 0;
  std::uint64_t end_ = 0;  // of the last whole line
  std::string end_text_;   // the last bytes before it, to recognise the file
  std::vector<LinePlace> lines_, apart_;
};

// At most `most` of the lines, evenly spaced, the first and the last among them; `most` is at least 2.
std::vector<std::size_t> evenly(std::size_t lines, std::size_t most);

struct RunHistory {
  explicit RunHistory(const RunFolder& run)
      : folder(run), metrics(run.metrics()), events(run.events(), R"({"event":"epoch")") {}

  // True if lines of either file are gone.
  bool update() {
    const bool replaced = metrics.update();
    return events.update() || replaced;
  }

  RunFolder folder;
  LineIndex metrics;
  LineIndex events;  // apart: those of epochs, which are as many as there are epochs
};

}  // namespace rota
