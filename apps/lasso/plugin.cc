// apps/lasso/plugin.cc -- the library lasso.so; by_columns/app.cc has the app.
#include "apps/lasso/app.h"

ROTA_PLUGIN(rota::lasso::columns_plugin);
