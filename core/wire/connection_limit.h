// core/wire/connection_limit.h -- how many connections ZeroMQ may accept.  It has no limit of its own, and unknown
// peers could exhaust the descriptors that this process needs for its files and outgoing connections.
//
// ZeroMQ accepts connections with the C library's accept4(); this component interposes its own.
#pragma once
#include <cstdint>

namespace rota {

// A connection that gets a descriptor of this number or above is closed at once.  The lowest free descriptor is
// assigned first, so a quarter of the process' limit (at most 1,024) is never used by incoming connections.
int accepted_below();

// If on, when there is no room for a connection, those are closed that have sent nothing for a second and have
// not completed the CURVE handshake.
void close_silent_strangers(bool on);

// How many found no room.  Any thread.
std::uint64_t without_room();

}  // namespace rota
