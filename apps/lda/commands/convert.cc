// apps/lda/commands/convert.cc -- `rota convert lda`: running text to a bag of words.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <unordered_set>
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

constexpr const char* kUnfinished = ".unfinished";
constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};

struct Text {
  io::Vocabulary words;
  std::vector<std::uint32_t> tokens;  // words of all documents, one document after another
  std::vector<std::uint64_t> ends;    // of each document, in `tokens`
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

void read_line(const Convert& settings, const std::unordered_set<std::string>& left_out, io::Lines& lines,
               std::string_view line, Text& text) {
  check_encoding(lines, line, settings.pattern);
  for (std::uint32_t i = 0; i < settings.fields; ++i) {
    const std::string_view field = io::next_field(line);
    if (i == 0) text.names.emplace_back(field);
  }
  io::WordScanner scanner(line, settings.pattern, settings.lowercase);
  std::string_view word;
  while (scanner.next(word)) {
    if (scanner.length() < settings.min_length || (!left_out.empty() && left_out.contains(std::string(word)))) continue;
    auto number = text.words.find(word);
    if (!number && text.words.is_fixed()) continue;
    if (!number && text.words.size() == io::kMostWords) lines.fail("there are too many different words");
    if (!number) number = text.words.number_of(word);
    text.tokens.push_back(*number);
  }
  if (text.tokens.size() > io::kMostTokens)
    lines.fail("a corpus has at most " + std::to_string(io::kMostTokens) + " tokens");
  text.ends.push_back(text.tokens.size());
}

Text read_text(const Convert& settings, const std::vector<std::string>& files) {
  Text text;
  if (!settings.vocabulary.empty()) text.words = io::Vocabulary::read(settings.vocabulary);
  const auto left_out = io::stop_words(settings.stop_words);
  for (const std::string& file : files) {
    io::Lines lines(file);
    std::string_view line;
    while (lines.next(line)) read_line(settings, left_out, lines, line, text);
  }
  return text;
}

// Sorts each document's tokens; f(document, word, count) for each of its words.
template <typename F>
void for_each_count(const Text& text, F f) {
  std::vector<std::uint32_t> sorted;
  std::uint64_t begin = 0;
  for (std::size_t d = 0; d < text.ends.size(); begin = text.ends[d++]) {
    sorted.assign(text.tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                  text.tokens.begin() + static_cast<std::ptrdiff_t>(text.ends[d]));
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0, next = 0; i < sorted.size() && sorted[i] != kLeftOut; i = next) {
      while (next < sorted.size() && sorted[next] == sorted[i]) ++next;
      f(d, sorted[i], next - i);
    }
  }
}

// Leaves out rare and frequent words and numbers the others in the order of their bytes.  Returns them.
std::vector<std::string> choose_words(const Convert& settings, Text& text) {
  const std::size_t words = text.words.size();
  std::vector<std::uint64_t> count(words), documents(words);
  for_each_count(text, [&](std::size_t, std::uint32_t word, std::uint64_t times) {
    count[word] += times;
    ++documents[word];
  });
  const double most = settings.max_share * static_cast<double>(text.ends.size());
  std::vector<std::uint32_t> kept;
  for (std::uint32_t w = 0; w < words; ++w)
    if (text.words.is_fixed() || (count[w] >= settings.min_count && static_cast<double>(documents[w]) <= most))
      kept.push_back(w);
  if (!text.words.is_fixed())
    std::sort(kept.begin(), kept.end(),
              [&](std::uint32_t a, std::uint32_t b) { return text.words.word(a) < text.words.word(b); });
  std::vector<std::uint32_t> number(words, kLeftOut);
  std::vector<std::string> names;
  for (const std::uint32_t w : kept) {
    number[w] = static_cast<std::uint32_t>(names.size());
    names.push_back(text.words.word(w));
  }
  for (std::uint32_t& token : text.tokens) token = number[token];
  return names;
}

// Writes a file under a temporary name and renames it when it is complete.
template <typename F>
void write_file(const std::string& path, F write) {
  const std::string unfinished = path + kUnfinished;
  try {
    io::TextWriter out(unfinished);
    write(out);
    out.close();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
  std::filesystem::rename(unfinished, path);
}

// The input must not be overwritten, nor anything that is not a regular file.
void check_output(const Convert& settings, const std::vector<std::string>& input) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<std::string> read = input;
  read.push_back(settings.stop_words);
  for (const char* const ending : {"", ".vocab", ".names"}) {
    const std::string file = settings.output + ending, unfinished = file + kUnfinished;
    for (const std::string& one : read)
      if (fs::equivalent(file, one, ignored)) throw UsageError("--output: would overwrite the input " + file);
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
      throw UsageError("--output: " + file + " exists and is not a regular file");
    if (fs::exists(fs::symlink_status(unfinished, ignored)))
      throw UsageError("--output: " + unfinished + " exists and is not overwritten");
  }
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  write_file(path, [&](io::TextWriter& out) {
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
  std::uint64_t pairs = 0, tokens = 0;
  for_each_count(text, [&](std::size_t, std::uint32_t, std::uint64_t times) { ++pairs, tokens += times; });
  if (tokens == 0) throw DataError(call.input.front(), 0, "no word is left");
  write_file(path, [&](io::TextWriter& bag) {
    bag << text.ends.size() << "\n" << words.size() << "\n" << pairs << "\n";
    for_each_count(text, [&](std::size_t d, std::uint32_t word, std::uint64_t times) {
      bag << std::uint64_t{d + 1} << " " << word + std::uint64_t{1} << " " << times << "\n";
    });
  });
  write_lines(path + ".vocab", words);
  if (!text.names.empty()) write_lines(path + ".names", text.names);
  out << "converted: " << text.ends.size() << " documents, " << words.size() << " words, " << tokens << " tokens, "
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
