// SPDX-License-Identifier: Apache-2.0
#include "exchange/protobuf.hpp"

#include <bit>

namespace dlrun::exchange {

namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

}  // namespace

std::string little_endian(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  return bytes;
}

void Message::add_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void Message::add_key(int field, int wire_type) { add_varint(std::uint64_t(field) << 3 | std::uint64_t(wire_type)); }

Message& Message::add_integer(int field, std::int64_t value) {
  add_key(field, kVarint);
  add_varint(std::uint64_t(value));
  return *this;
}

Message& Message::add_double(int field, double value) {
  add_key(field, kFixed64);
  bytes_ += little_endian(std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

Message& Message::add_float(int field, float value) {
  add_key(field, kFixed32);
  bytes_ += little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

Message& Message::add_bytes(int field, std::string_view bytes) {
  add_key(field, kLength);
  add_varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

}  // namespace dlrun::exchange
