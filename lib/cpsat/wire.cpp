// SPDX-License-Identifier: Apache-2.0
#include "cpsat/wire.hpp"

#include <cstring>

#include "util/error.hpp"

namespace dlrun::cpsat {

namespace {

// Wire types: protobuf's "Encoding".
constexpr int kVarint = 0, kFixed64 = 1, kText = 2, kFixed32 = 5;
constexpr int kTypeBits = 3;
constexpr unsigned kGroup = 7;  ///< bits of each byte of a varint

std::uint64_t tag(int field, int type) { return std::uint64_t(field) << kTypeBits | std::uint64_t(type); }

class Bytes {
 public:
  explicit Bytes(std::string_view left) : left_(left) {}

  bool is_empty() const { return left_.empty(); }

  std::string_view read(std::size_t count) {
    if (count > left_.size()) throw Error(ErrorKind::internal, "the solver's answer ends within a field");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += kGroup) {
      const auto byte = std::uint8_t(read(1).front());
      value |= std::uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw Error(ErrorKind::internal, "a number of the solver's answer does not end");
  }

 private:
  std::string_view left_;
};

Field field_of(Bytes& bytes) {
  const std::uint64_t head = bytes.varint();
  Field field;
  field.number = int(head >> kTypeBits);
  switch (int(head & kGroup)) {
    case kVarint: field.value = std::int64_t(bytes.varint()); break;
    case kFixed64: std::memcpy(&field.real, bytes.read(sizeof field.real).data(), sizeof field.real); break;
    case kText: field.bytes = bytes.read(bytes.varint()); break;
    case kFixed32: bytes.read(4); break;
    default: throw Error(ErrorKind::internal, "the solver's answer is no message of protobuf");
  }
  return field;
}

}  // namespace

void Message::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= kGroup) bytes_.push_back(char(value | 0x80));
  bytes_.push_back(char(value));
}

void Message::put_text(int field, const std::string& text) {
  put(tag(field, kText));
  put(text.size());
  bytes_ += text;
}

void Message::add_field(int field, std::int64_t value) {
  put(tag(field, kVarint));
  put(std::uint64_t(value));
}

void Message::add_field(int field, double value) {
  put(tag(field, kFixed64));
  char text[sizeof value];
  std::memcpy(text, &value, sizeof value);
  bytes_.append(text, sizeof value);
}

void Message::add_field(int field, const Message& value) { put_text(field, value.bytes_); }

void Message::add_list(int field, const std::vector<std::int64_t>& values) {
  Message packed;
  for (const std::int64_t value : values) packed.put(std::uint64_t(value));
  put_text(field, packed.bytes_);
}

void read_message(std::string_view bytes, const std::function<void(const Field&)>& on_field) {
  for (Bytes left(bytes); !left.is_empty();) on_field(field_of(left));
}

std::vector<std::int64_t> read_numbers(std::string_view bytes) {
  std::vector<std::int64_t> numbers;
  for (Bytes left(bytes); !left.is_empty();) numbers.push_back(std::int64_t(left.varint()));
  return numbers;
}

}  // namespace dlrun::cpsat
