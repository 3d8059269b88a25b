#include "core/wire/zmq_frames.h"

#include <memory>
#include <utility>

namespace rota {

namespace {

constexpr std::size_t kCopyBelow = 4096;  // a smaller frame is copied: cheaper than counting references

zmq::message_t message_of(const Bytes& bytes) {
  if (bytes.size() < kCopyBelow) return {bytes.view().data(), bytes.size()};
  // ZeroMQ reads the memory where it is, and releases its share of it when it is done.
  auto* keep = new Bytes(bytes);
  auto* data = const_cast<std::byte*>(bytes.view().data());  // the interface has no const; ZeroMQ does not write
  return {data, bytes.size(), [](void*, void* hint) { delete static_cast<Bytes*>(hint); }, keep};
}

Bytes bytes_of(zmq::message_t message) {
  auto owner = std::make_shared<zmq::message_t>(std::move(message));
  return {owner, {static_cast<const std::byte*>(owner->data()), owner->size()}};
}

}  // namespace

// ZeroMQ takes a message whole or not at all: it can refuse only the first frame.
bool send_whole(zmq::socket_t& socket, const Frames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto more = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    if (!socket.send(message_of(frames[i]), more | zmq::send_flags::dontwait)) return false;
  }
  return true;
}

ReceivedFrames receive_frames(zmq::socket_t& socket, std::size_t bytes_max,
                              const std::function<void(zmq::message_t&)>& seen) {
  ReceivedFrames got;
  std::size_t bytes = 0;
  for (bool more = true; more;) {
    zmq::message_t frame;
    if (!socket.recv(frame, zmq::recv_flags::dontwait)) break;
    got.any = true;
    if (seen) seen(frame);
    more = frame.more();
    bytes += frame.size();
    got.fits = got.fits && got.frames.size() < kFramesMax && bytes <= bytes_max;
    if (got.fits)
      got.frames.push_back(bytes_of(std::move(frame)));
    else
      got.frames.clear();
  }
  return got;
}

}  // namespace rota
