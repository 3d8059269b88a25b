// apps/lasso/by_columns/settings.h -- the options of the app lasso.
#pragma once
#include <string>

#include "apps/lasso/settings.h"

namespace rota::lasso {

struct ColumnSettings : Settings {
  std::string partition = "auto", order = "auto";

  void options(auto& list) {
    Settings::options(list);
    // When one app had both ways to divide the data, these chose among them.
    list.choice("partition", partition, {{"auto", "auto"}, {"columns", "columns"}, {"rows", "rows"}}, "");
    list.choice("order", order,
                {{"auto", "auto"},
                 {"working_set", "working_set"},
                 {"priority", "priority"},
                 {"round_robin", "round_robin"},
                 {"random", "random"}},
                "");
  }
  static void check_options(const Options& options) {
    const auto settings = settings_of<ColumnSettings>(options);
    const bool ordered = settings.order != "auto" && settings.order != "working_set";
    if (settings.partition == "rows" || ordered)
      throw UsageError((ordered ? "--order=" + settings.order : "--partition=rows") +
                       " is for an app of its own: use `rota train lasso_rows`");
    settings.check(options);
  }
};

}  // namespace rota::lasso
