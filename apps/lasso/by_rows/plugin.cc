// apps/lasso/by_rows/plugin.cc -- the library lasso_rows.so; app.cc has the app.
#include "apps/lasso/app.h"

ROTA_PLUGIN(rota::lasso::rows_plugin);
