// rota-kvstore: a process of its own for partitions of the store, for models that are larger than the workers.
#include "kvstore/host_partitions.h"

int main(int argc, char** argv) {
  using namespace rota;
  return member_main(argc, argv, Role::kvstore, [](const Member& member, const Welcome& welcome) {
    std::vector<std::unique_ptr<Node>> nodes;
    host_partitions({Role::kvstore, member.index}, member, welcome, nodes);
    return nodes;
  });
}
