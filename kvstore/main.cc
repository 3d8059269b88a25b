// rota-kvstore: a process of its own for partitions of the store, for models that are larger than the workers.
#include "core/checkpoint/model_reader.h"
#include "kvstore/host_partitions.h"

int main(int argc, char** argv) {
  using namespace rota;
  return member_main(argc, argv, Role::kvstore, initial_model,
                     [](Member& member, const Welcome& welcome, const Host::Nodes&) -> Result<Host::Nodes> {
                       if (member.app == nullptr) ROTA_TRY(member.make_app());
                       Host::Nodes nodes;
                       ROTA_TRY(host_partitions({Role::kvstore, member.config.index}, member, welcome, nodes));
                       return nodes;
                     });
}
