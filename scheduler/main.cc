// rota-scheduler: a process that schedules.
#include "core/checkpoint/model_reader.h"
#include "core/runtime/member.h"
#include "scheduler/scheduler.h"

int main(int argc, char** argv) {
  using namespace rota;
  return member_main(argc, argv, Role::scheduler, initial_model,
                     [](Member& member, const Welcome&, const Host::Nodes&) -> Result<Host::Nodes> {
                       if (member.app == nullptr) ROTA_TRY(member.make_app());
                       Host::Nodes nodes;
                       nodes.push_back(std::make_unique<Scheduler>(member.app));
                       return nodes;
                     });
}
