// SPDX-License-Identifier: Apache-2.0
// Messages of protocol buffers, as much of them as an export needs: fields are appended in the order in which they are
// added. Callers add them by ascending number, as other writers do, so that equal messages have equal bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace dlrun::exchange {

class Message {
 public:
  Message& add_integer(int field, std::int64_t value);
  Message& add_double(int field, double value);
  Message& add_float(int field, float value);
  /// Bytes, or text that is valid UTF-8.
  Message& add_bytes(int field, std::string_view bytes);
  Message& add_message(int field, const Message& message) { return add_bytes(field, message.bytes()); }
  const std::string& bytes() const { return bytes_; }

 private:
  void add_varint(std::uint64_t value);
  void add_key(int field, int wire_type);

  std::string bytes_;
};

/// The lowest `count` bytes of a number, lowest first.
std::string little_endian(std::uint64_t value, int count);

}  // namespace dlrun::exchange
