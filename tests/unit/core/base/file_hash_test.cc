#include "core/base/file_hash.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class FileHashes : public TemporaryFolder {
 protected:
  static Hash128 of(const std::vector<std::string>& files) {
    const auto hash = hash_contents(files);
    EXPECT_TRUE(hash.ok()) << hash.status().what();
    return hash.ok() ? *hash : Hash128();
  }
};

TEST_F(FileHashes, DependOnBytesAndOrderNotOnNames) {
  const auto a = write("a", "one\n"), same = write("b/other", "one\n"), changed = write("c", "onf\n"),
             empty = write("d", "");
  EXPECT_EQ(of({a}), of({same}));
  EXPECT_NE(of({a}), of({changed}));
  EXPECT_NE(of({a, changed}), of({changed, a}));
  EXPECT_NE(of({a}), of({a, empty}));
  EXPECT_NE(of({}), of({empty}));
  EXPECT_NE(of({write("e", "one\non"), write("f", "e\n")}), of({a, a})) << "where files end counts";
}

TEST_F(FileHashes, DevicesAreNotRead) {
  EXPECT_EQ(of({"/dev/zero"}), of({"/dev/null"}));
}

}  // namespace
}  // namespace rota
