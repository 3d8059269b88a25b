// core/wire/node_id.h -- identities of nodes, and of the processes that host them.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace rota {

// Part of the format: never change or reuse a number.
enum class Role : std::uint8_t {
  coordinator = 1,
  scheduler = 2,
  worker = 3,
  kvstore = 4,    // a process of its own that hosts partitions
  partition = 5,  // a part of the store; a node, never a process
  observer = 6,   // asks the coordinator for the run's status
};
inline constexpr auto kLastRole = Role::observer;

const char* role_name(Role role);

// A node, or the process that is named after its main node.
struct NodeId {
  Role role = Role::coordinator;
  std::uint32_t index = 0;

  friend auto operator<=>(const NodeId&, const NodeId&) = default;
  std::string name() const { return std::string(role_name(role)) + "-" + std::to_string(index); }
};

inline constexpr NodeId kCoordinator{Role::coordinator, 0};
inline constexpr std::uint32_t kIndexLimit = 1U << 24;  // of any role

}  // namespace rota
