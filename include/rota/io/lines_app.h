// rota/io/lines_app.h -- an app whose items are the lines of text files.
#pragma once
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "rota/io/line_fields.h"
#include "rota/io/lines.h"
#include "rota/items_app.h"

namespace rota::io {

template <typename P>
class LinesApp : public ItemsApp<P> {
 public:
  using typename ItemsApp<P>::Item;
  using ItemsApp<P>::ItemsApp;

  // What a line is, for error messages: "FROM TO LENGTH".
  virtual std::string_view form() const = 0;
  // Makes an item of a line, and may add to the facts.  False if the line has another form: then load() throws a
  // DataError with file and line.  The default reads the fields of a std::pair, std::tuple or std::array.
  virtual bool read(std::string_view line, Item& item, Facts&) const {
    if constexpr (requires { std::tuple_size<Item>::value; })
      return std::apply([&](auto&... fields) { return read_line(line, fields...); }, item);
    else
      throw std::logic_error("an app whose items are no tuples has to write LinesApp::read");
  }
  // Called for every item, in their order: may change it, and add to the facts.  What std::invalid_argument says is
  // wrong with it becomes a DataError with file and line.
  virtual void look_at(Item&, std::uint64_t /*number*/, Facts&) const {}

  void read_items(const std::function<void(Item)>& add, Facts& facts) final {
    std::uint64_t number = 0;
    for (const std::string& file : this->job_.input) {
      Lines lines(file);
      for (std::string_view line; lines.next(line);) {
        Item item{};
        if (!read(line, item, facts)) lines.fail("expected " + std::string(form()) + ", found " + quoted(line));
        try {
          look_at(item, number++, facts);
        } catch (const std::invalid_argument& wrong) {
          lines.fail(wrong.what());
        }
        add(std::move(item));
      }
    }
  }
};

}  // namespace rota::io
