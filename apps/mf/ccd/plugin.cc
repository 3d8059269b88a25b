// apps/mf/ccd/plugin.cc -- the library ccd.so; app.cc has the app.
#include "apps/mf/app.h"

ROTA_PLUGIN(rota::mf::ccd_plugin);
