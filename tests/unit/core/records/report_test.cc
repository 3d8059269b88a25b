// tests/unit/core/records/report_test.cc
#include "core/records/report.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

namespace rota {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    close_write();
    ::close(ends_[0]);
  }
  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  // All until the writer closes.
  std::string read() const {
    std::string all;
    char block[4096];
    for (ssize_t n; (n = ::read(ends_[0], block, sizeof block)) > 0;) all.append(block, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::string line(int number) {
  return std::to_string(number) + std::string(1000, '.');
}

TEST(Report, LinesArriveWholeAndInOrder) {
  Pipe pipe;
  std::string wanted;
  {
    Report report(pipe.write_end());
    for (int i = 0; i < 30; ++i) {
      report.say(line(i));
      wanted += line(i) + "\n";
    }
  }
  pipe.close_write();
  EXPECT_EQ(pipe.read(), wanted);
}

// The coordinator waited in it for a launcher that was stopped, and was lost to all others.
TEST(Report, NeverWaitsForAReaderWhoDoesNotRead) {
  Pipe pipe;
  std::string read;
  std::thread reader;
  {
    Report report(pipe.write_end());
    for (int i = 0; i < 10'000; ++i) report.say(line(i));
    report.say("the end");
    reader = std::thread([&] { read = pipe.read(); });
  }
  pipe.close_write();
  reader.join();
  EXPECT_TRUE(read.ends_with(line(9'999) + "\nthe end\n")) << "the newest are kept";
  EXPECT_LT(read.size(), 3 * Report::kWaitingMost) << "and old ones dropped";
}

TEST(Report, AReaderWhoIsGoneIsNoFault) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  {
    Report report(ends[1]);
    for (int i = 0; i < 100; ++i) report.say(line(i));
  }
  ::close(ends[1]);
}

}  // namespace
}  // namespace rota
