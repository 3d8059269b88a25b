// core/wire/zmq_frames.h -- frames as messages of ZeroMQ.
#pragma once
#include <cstddef>
#include <functional>
#include <zmq.hpp>

#include "core/wire/codec.h"

namespace rota {

// Sends all frames as one message.  False: the socket is full or not connected, and nothing was sent.
bool send_whole(zmq::socket_t& socket, const Frames& frames);

struct ReceivedFrames {
  bool any = false;  // a message was there
  bool fits = true;  // within the limits; if not, it was read and dropped
  Frames frames;
};

// Reads what has arrived of one message (ZeroMQ delivers all frames together): at most kFramesMax frames and
// `bytes_max` bytes.  `seen` is called with each frame.
ReceivedFrames receive_frames(zmq::socket_t& socket, std::size_t bytes_max,
                              const std::function<void(zmq::message_t&)>& seen = {});

}  // namespace rota
