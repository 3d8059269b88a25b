// apps/mf/plugin.cc -- the library mf.so; sgd/app.cc has the app.
#include "apps/mf/app.h"

ROTA_PLUGIN(rota::mf::sgd_plugin);
