// apps/lda/commands/convert.cc -- `rota convert lda`: running text to a bag of words.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/lda/commands/commands.h"
#include "io/stop_words.h"
#include "io/word_scanner.h"
#include "rota/error.h"
#include "rota/io/corpus.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"
#include "rota/io/text_writer.h"
#include "rota/io/vocabulary.h"
#include "rota/settings.h"
#include "rota/utf8.h"

namespace rota::lda {
namespace {

struct Convert {
  std::string output, stop_words = "none", vocabulary;
  std::uint32_t fields = 0, min_length = 1;
  io::WordPattern pattern = io::WordPattern::letters;
  bool lowercase = true;
  std::uint64_t min_count = 1;
  double max_share = 1;

  void options(auto& list) {
    constexpr Needs kChosen = {"use without --vocab", [](const Options& given) { return !given.has("vocab"); }};
    list.path("output", output,
              "The bag of words; the words are written to FILE.vocab and, with --fields, the names to FILE.names.");
    list.number("fields", fields, "fields", 0, 1000,
                "Fields before a line's text; the first is the document's name.  MALLET's files have 2: name, label.");
    list.choice("token_pattern", pattern,
                {{"letters", io::WordPattern::letters},
                 {"letters_digits", io::WordPattern::letters_digits},
                 {"whitespace", io::WordPattern::whitespace}},
                "What a word is: runs of letters, of letters and digits, or any text between white space.");
    list.flag("lowercase", lowercase, "Make words lower case.");
    list.text("stop_words", stop_words, "Words to leave out: none, english, or a file of them.");
    list.number("min_length", min_length, "letters", 1, 1000, "Shorter words are left out.");
    list.number("min_count", min_count, "tokens", 1, 1e9, "Words that occur less often are left out.").needs = kChosen;
    list.number("max_share", max_share, "", 0, 1, "Words in a larger share of the documents are left out.").needs =
        kChosen;
    list.path("vocab", vocabulary,
              "Use these words, in this order, and no others: those of a bag that a model was trained on.");
  }
};

struct Text {
  io::Vocabulary words;
  std::uint32_t documents = 0;
  std::vector<io::WordCount> counts;  // document after document, each word once
  std::vector<std::string> names;     // of each document, if it has fields
};

// In another encoding, digits and letters would become words of one letter.
void check_encoding(const io::Lines& lines, std::string_view line, io::WordPattern pattern) {
  if (line.find('\0') != line.npos) lines.fail("expected text, found a NUL byte: is it UTF-16?");
  if (pattern != io::WordPattern::whitespace && !is_utf8(line))
    lines.fail(
        "the line is not UTF-8, so its letters are not known: iconv converts most encodings, and "
        "--token_pattern=whitespace uses the bytes between white space unchanged");
}

Text read_text(const Convert& settings, const std::vector<std::string>& files) {
  Text text;
  if (!settings.vocabulary.empty()) text.words = io::Vocabulary::read(settings.vocabulary);
  const auto left_out = io::stop_words(settings.stop_words);
  std::uint64_t tokens = 0;
  for (const std::string& file : files) {
    io::Lines lines(file);
    for (std::string_view line; lines.next(line); ++text.documents) {
      check_encoding(lines, line, settings.pattern);
      for (std::uint32_t i = 0; i < settings.fields; ++i) {
        const std::string_view field = io::next_field(line);
        if (i == 0) text.names.emplace_back(field);
      }
      std::map<std::uint32_t, std::uint32_t> counts;
      io::WordScanner scanner(line, settings.pattern, settings.lowercase);
      for (std::string_view word; scanner.next(word);) {
        if (scanner.length() < settings.min_length || left_out.contains(std::string(word))) continue;
        auto number = text.words.find(word);
        if (!number && text.words.is_fixed()) continue;
        if (!number && text.words.size() == io::kMostWords) lines.fail("there are too many different words");
        if (!number) number = text.words.number_of(word);
        ++counts[*number];
        if (++tokens > io::kMostTokens)
          lines.fail("a corpus has at most " + std::to_string(io::kMostTokens) + " tokens");
      }
      for (const auto& [word, count] : counts) text.counts.push_back({text.documents, word, count});
    }
  }
  return text;
}

// Leaves out rare and frequent words and numbers the others in the order of their bytes.  Returns them.
std::vector<std::string> choose_words(const Convert& settings, Text& text) {
  std::vector<std::string> names = text.words.words();
  if (text.words.is_fixed()) return names;
  std::vector<std::uint64_t> count(names.size()), documents(names.size());
  for (const io::WordCount& each : text.counts) {
    count[each.word] += each.count;
    ++documents[each.word];
  }
  const double most = settings.max_share * text.documents;
  std::map<std::string_view, std::uint32_t> kept;
  for (std::uint32_t w = 0; w < names.size(); ++w)
    if (count[w] >= settings.min_count && static_cast<double>(documents[w]) <= most) kept.emplace(names[w], w);
  constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(names.size(), kLeftOut);
  std::vector<std::string> in_order;
  for (const auto& [name, w] : kept) {
    number[w] = static_cast<std::uint32_t>(in_order.size());
    in_order.emplace_back(name);
  }
  for (io::WordCount& each : text.counts) each.word = number[each.word];
  std::erase_if(text.counts, [](const io::WordCount& each) { return each.word == kLeftOut; });
  std::ranges::sort(text.counts, {}, [](const io::WordCount& each) { return std::pair(each.document, each.word); });
  return in_order;
}

void check_output(const Convert& settings, std::vector<std::string> read) {
  read.push_back(settings.stop_words);
  std::error_code ignored;
  for (const char* const ending : {"", ".vocab", ".names"})
    for (const std::string& file : read)
      if (std::filesystem::equivalent(settings.output + ending, file, ignored))
        throw UsageError("--output: would overwrite the input " + file);
}

// The file appears under its name once it is complete, unless the name is that of a device or pipe.
template <typename Write>
void write_whole(const std::string& path, Write write) {
  std::error_code ignored;
  const bool in_place = std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string first = in_place ? path : path + ".unfinished-" + std::to_string(::getpid());
  io::TextWriter out(first);
  try {
    write(out);
    out.close();
    if (!in_place) std::filesystem::rename(first, path);
  } catch (...) {
    if (!in_place) std::filesystem::remove(first, ignored);
    throw;
  }
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  write_whole(path, [&](io::TextWriter& out) {
    for (const std::string& line : lines) out << line << "\n";
  });
}

void convert(const Call& call, std::ostream& out) {
  const auto settings = rota::settings_of<Convert>(call.options);
  const std::string& path = settings.output;
  if (path.empty()) throw UsageError("--output is missing: the file for the bag of words");
  check_output(settings, call.input);
  Text text = read_text(settings, call.input);
  const std::vector<std::string> words = choose_words(settings, text);
  if (text.counts.empty()) throw DataError(call.input.front(), 0, "no word is left");
  std::uint64_t tokens = 0;
  write_whole(path, [&](io::TextWriter& bag) {
    bag << std::uint64_t{text.documents} << "\n" << words.size() << "\n" << text.counts.size() << "\n";
    for (const auto& [document, word, count] : text.counts) {
      bag << document + std::uint64_t{1} << " " << word + std::uint64_t{1} << " " << std::uint64_t{count} << "\n";
      tokens += count;
    }
  });
  write_lines(path + ".vocab", words);
  if (!text.names.empty()) write_lines(path + ".names", text.names);
  out << "converted: " << text.documents << " documents, " << words.size() << " words, " << tokens << " tokens, "
      << path << "\n";
}

}  // namespace

Command convert_command() {
  return {.name = "convert",
          .summary = "makes a bag of words from running text, one document a line",
          .options = declared_options<Convert>(),
          .run = convert,
          .needs_model = false,
          .takes_input = true};
}

}  // namespace rota::lda
