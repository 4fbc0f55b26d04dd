// SPDX-License-Identifier: Apache-2.0
// Frames: "DLR1" | u32 payload length, little endian | u8 type | payload. Part of the format. The payload is JSON; that
// of a chunk goes on with a newline and the bytes as they are. A long result is several frames (result_parts.hpp).
#include <algorithm>
#include <array>
#include <cstring>

#include "protocol/messages.hpp"
#include "protocol/payload.hpp"
#include "protocol/result_parts.hpp"
#include "util/error.hpp"

namespace dlrun::protocol {

namespace {

constexpr std::string_view kMagic = "DLR1";
constexpr std::size_t kHeader = 9;

std::uint32_t read_length(std::string_view header) {
  std::uint32_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<std::uint8_t>(header[4 + i]);
  return length;
}

std::string payload_of(const Message& message) {
  std::string payload = to_text(to_json(message));
  if (const auto* chunk = std::get_if<Chunk>(&message)) payload.append("\n").append(chunk->bytes);
  return payload;
}

Message message_of(std::uint8_t type, std::string_view payload) {
  if (type_name(type) != "chunk") return read_payload(type, payload);
  const std::size_t end = payload.find('\n');
  if (end == std::string_view::npos) throw Error(ErrorKind::usage, "message 'chunk' has no bytes");
  Message message = read_payload(type, payload.substr(0, end));
  std::get<Chunk>(message).bytes = payload.substr(end + 1);
  return message;
}

void require_size(std::uint8_t type, std::size_t bytes, std::size_t limit) {
  if (bytes <= limit) return;
  throw Error(ErrorKind::usage, "message '" + std::string(type_name(type)) + "' has " + std::to_string(bytes) +
                                    " bytes, the limit is " + std::to_string(limit));
}

}  // namespace

std::string encode(const Message& message) {
  const std::string payload = payload_of(message);
  const std::uint8_t type = type_of(message);
  const auto* result = std::get_if<Result>(&message);
  require_size(type, payload.size(), result && has_parts(*result) ? kMaxResult : kMaxFrame);
  if (payload.size() > kMaxFrame) return encode_in_parts(*result);
  std::string frame(kMagic);
  frame.reserve(kHeader + payload.size());
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(payload.size() >> 8 * i & 0xff);
  frame += static_cast<char>(type);
  return frame += payload;
}

void Decoder::feed(std::string_view bytes) {
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
  } else if (start_ > buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<Message> Decoder::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  const std::size_t known = std::min(rest.size(), kMagic.size());
  if (rest.substr(0, known) != kMagic.substr(0, known)) {
    throw Error(ErrorKind::usage, "the peer does not speak dlrun's protocol");
  }
  if (rest.size() < kHeader) return std::nullopt;
  const std::size_t length = read_length(rest);
  const auto type = static_cast<std::uint8_t>(rest[8]);
  if (length > limit_) {
    throw Error(ErrorKind::usage, "a message of " + std::to_string(length) + " bytes is announced, the limit is " +
                                      std::to_string(limit_));
  }
  if (type_name(type).empty()) throw Error(ErrorKind::usage, "no message has type " + std::to_string(type));
  if (rest.size() < kHeader + length) return std::nullopt;
  start_ += kHeader + length;
  Message message = message_of(type, rest.substr(kHeader, length));
  if (auto* result = std::get_if<Result>(&message)) parts_.pass(*result, length);
  return message;
}

}  // namespace dlrun::protocol
