// rota/io/lines_app.h -- an app whose items are the lines of text files.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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
  // Makes an item of a line, with read_line() for example, and adds to the facts.  False if the line has another form:
  // then load() throws a DataError with file and line.
  virtual bool read(std::string_view line, Item& item, Facts& facts) const = 0;

  void read_items(const std::function<void(Item)>& add, Facts& facts) final {
    for (const std::string& file : this->job_.input) {
      Lines lines(file);
      for (std::string_view line; lines.next(line);) {
        Item item{};
        if (!read(line, item, facts)) lines.fail("expected " + std::string(form()) + ", found " + quoted(line));
        add(std::move(item));
      }
    }
  }
};

}  // namespace rota::io
