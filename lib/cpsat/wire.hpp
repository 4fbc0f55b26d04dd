// SPDX-License-Identifier: Apache-2.0
// Protobuf's binary format, as far as CP-SAT's messages need it. Written here rather than by libprotobuf: OR-Tools
// brings another version of that in the same process, and to keep two apart takes RTLD_DEEPBIND, which the address
// sanitizer forbids.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::cpsat {

/// A message as bytes; a field may be added more than once.
class Message {
 public:
  void add_field(int field, std::int64_t value);
  void add_field(int field, double value);
  void add_field(int field, const Message& value);
  /// A repeated field of whole numbers.
  void add_list(int field, const std::vector<std::int64_t>& values);

  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::uint64_t value);
  void put_text(int field, const std::string& text);

  std::string bytes_;
};

/// A field that was read; one of the three has a meaning, which depends on the field.
struct Field {
  int number = 0;
  std::int64_t value = 0;
  double real = 0;
  std::string_view bytes;
};

/// Calls `take` for each field of a message.
/// @throws Error(internal) for bytes that are no message
void read_message(std::string_view bytes, const std::function<void(const Field&)>& on_field);

/// The numbers of a repeated field.
std::vector<std::int64_t> read_numbers(std::string_view bytes);

}  // namespace dlrun::cpsat
