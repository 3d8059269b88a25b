// apps/mf/als/plugin.cc -- the library als.so; app.cc has the app.
#include "apps/mf/app.h"

ROTA_PLUGIN(rota::mf::als_plugin);
