// core/wire/connection_limit.h -- how many connections ZeroMQ may accept.  It has no limit of its own, and strangers
// who connect would use up the descriptors that this process needs for its files and for the connections that it makes.
//
// ZeroMQ accepts connections by the C library's accept4(); the one of this component stands before it.
#pragma once
#include <cstdint>

namespace rota {

// A connection that gets a descriptor of this number or above is closed at once.  Descriptors are given out from the
// lowest on, so a quarter of the process' limit (1,024 at most) is never a connection that came from outside.
int accepted_below();

// From now on, when there is no room for a connection, those are closed that have said nothing for a second and have
// not come through the handshake of CURVE.
void close_silent_strangers();

// How many found no room.  Any thread.
std::uint64_t without_room();

}  // namespace rota
