// rota/io/categories_app.h -- an app whose items are the rows of CSV files of categories (rota/io/category_rows.h).
#pragma once
#include <functional>
#include <vector>

#include "rota/io/category_rows.h"
#include "rota/items_app.h"

namespace rota::io {

// An item is a CategoryRow.  The fact "values" has the number of values of each column; a model's common data are the
// Categories.
template <typename P>
class CategoriesApp : public ItemsApp<P> {
 public:
  using ItemsApp<P>::ItemsApp;

  // Called after all rows: may add to the facts, and throw what load() may.
  virtual void look_at(const Categories&, Facts&) const {}

  void read_items(const std::function<void(CategoryRow)>& add, Facts& facts) final {
    categories_ = read_category_rows(this->job_.input, add);
    std::vector<double> values;
    for (const auto& its : categories_.values) values.push_back(static_cast<double>(its.size()));
    facts.add("values", values);
    look_at(categories_, facts);
  }
  void save_common(Writer& out) const override { write_fields(out, categories_); }

 private:
  Categories categories_;
};

}  // namespace rota::io
