// apps/io/documents.cc
#include "apps/io/documents.h"

#include <string_view>

#include "rota/io/numbers.h"

namespace rota::io {

void read_documents(Lines& lines, Vocabulary& vocabulary, CorpusSize& size, const TakeCounts& take) {
  std::vector<WordCount> batch;
  std::string_view line;
  while (lines.next(line)) {
    if (line.find('\0') != line.npos) lines.fail("expected text, found a NUL byte");
    if (size.documents == kMostDocuments)
      lines.fail("a corpus has at most " + std::to_string(kMostDocuments) + " documents");
    batch.clear();
    for (std::string_view word = next_field(line); !word.empty(); word = next_field(line)) {
      auto number = vocabulary.find(word);
      if (!number && vocabulary.is_fixed()) continue;
      if (!number && vocabulary.size() == kMostWords)
        lines.fail("a corpus has at most " + std::to_string(kMostWords) + " different words");
      if (!number) number = vocabulary.number_of(word);
      batch.push_back({static_cast<std::uint32_t>(size.documents), *number, 1});
    }
    size.documents += 1;
    size.tokens += batch.size();
    if (size.tokens > kMostTokens) lines.fail("a corpus has at most " + std::to_string(kMostTokens) + " tokens");
    take(batch);
  }
  size.words = vocabulary.size();
}

}  // namespace rota::io
