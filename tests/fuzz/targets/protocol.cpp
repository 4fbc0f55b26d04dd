// SPDX-License-Identifier: Apache-2.0
// Bytes as a peer may send them: in whatever pieces they come they are the same messages, and what is a message can be
// said again.
#include "protocol/messages.hpp"
#include "target.hpp"
#include "util/error.hpp"

using namespace dlrun;
using namespace dlrun::fuzz;

namespace {

/// The messages, each encoded again, up to the first that is refused.
std::string heard(const std::string& bytes, std::size_t piece) {
  protocol::Decoder decoder;
  std::string again;
  try {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      decoder.feed(std::string_view(bytes).substr(at, piece));
      while (const auto message = decoder.next()) again += protocol::encode(*message);
    }
  } catch (const Error& fault) {
    require(fault.kind() == ErrorKind::usage, "bytes of a peer are its fault");
  }
  return again;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text = text_of(bytes, size);
  const std::string whole = heard(text, text.size() + 1);
  require(heard(text, 7) == whole, "pieces say what the whole says");
  require(heard(whole, whole.size() + 1) == whole, "what was heard can be said again");
  return 0;
}
