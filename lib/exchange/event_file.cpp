// SPDX-License-Identifier: Apache-2.0
// Numbers of fields are those of TensorFlow's event.proto, summary.proto and tensor.proto.
#include "exchange/event_file.hpp"

#include "exchange/crc32c.hpp"

namespace dlrun::exchange {

namespace {

Message event_at(double time, std::int64_t step) {
  Message event;
  event.add_double(1, time);
  if (step != 0) event.add_integer(2, step);
  return event;
}

std::string with_summary(Message event, const Message& value) {
  return framed(event.add_message(5, Message().add_message(1, value)).bytes());
}

/// A tensor of no numbers (DT_FLOAT, shape [0]): events of plugins have one.
Message null_tensor() {
  const Message dimension = Message().add_bytes(2, Message().bytes());
  return Message().add_integer(1, 1).add_message(2, dimension);
}

}  // namespace

std::string framed(std::string_view bytes) {
  const std::string length = little_endian(bytes.size(), 8);
  std::string out = length + little_endian(masked_crc32c(length), 4);
  out += bytes;
  return out + little_endian(masked_crc32c(bytes), 4);
}

std::string version_event(double time) { return framed(event_at(time, 0).add_bytes(3, "brain.Event:2").bytes()); }

std::string scalar_event(const Scalar& scalar) {
  const Message value = Message().add_bytes(1, scalar.tag).add_float(2, static_cast<float>(scalar.value));
  return with_summary(event_at(scalar.time, scalar.step), value);
}

std::string hparams_event(double time, std::string_view tag, const Message& content) {
  const Message plugin = Message().add_bytes(1, "hparams").add_message(2, content);
  const Message metadata = Message().add_message(1, plugin);
  const Message value = Message().add_bytes(1, tag).add_message(8, null_tensor()).add_message(9, metadata);
  return with_summary(event_at(time, 0), value);
}

}  // namespace dlrun::exchange
