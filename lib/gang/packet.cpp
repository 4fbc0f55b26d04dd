// SPDX-License-Identifier: Apache-2.0
#include "gang/packet.hpp"

#include <cstring>

#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr std::uint32_t kMagic = 0x32474c44;  // "DLG2"
constexpr std::uint64_t kMostNumbers = std::uint64_t(1) << 36, kMostText = std::uint64_t(1) << 32;

constexpr std::uint32_t kWantsReply = 1, kIsSparse = 2;

/// As it goes over the wire.
struct Head {
  std::uint32_t magic = kMagic, kind = 0, message_kind = 0, flags = 0;
  std::int32_t from = 0, to = 0, shard = 0, generation = 0;
  std::int64_t clock = 0, drawn = 0;
  double samples = 0, weight = 0, share = 0, packed = 0;
  std::uint64_t numbers = 0, places = 0, text = 0;
  std::uint64_t in_ring = 0;  ///< one more than the position; 0: numbers follow
};
static_assert(sizeof(Head) == kHeadBytes);

}  // namespace

std::string head_of(const Packet& packet, std::optional<std::uint64_t> in_ring) {
  const parallel::Message<float>& message = packet.message;
  Head head;
  head.kind = std::uint32_t(packet.kind);
  head.message_kind = std::uint32_t(message.kind);
  head.flags = (message.wants_reply ? kWantsReply : 0) | (message.is_sparse ? kIsSparse : 0);
  head.from = message.from;
  head.to = packet.to;
  head.generation = packet.generation;
  head.shard = message.shard;
  head.clock = message.clock;
  head.drawn = packet.drawn;
  head.samples = message.samples;
  head.weight = message.weight;
  head.share = message.share;
  head.packed = message.packed;
  head.places = message.places.size();
  head.numbers = message.numbers.size();
  head.text = packet.text.size();
  head.in_ring = in_ring ? *in_ring + 1 : 0;
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

Announced read_head(std::string_view bytes) {
  Head head;
  if (bytes.size() != sizeof head) throw Error(ErrorKind::internal, "a packet's head has another size");
  std::memcpy(&head, bytes.data(), sizeof head);
  const bool is_sound = head.magic == kMagic && head.kind <= std::uint32_t(PacketKind::fault) &&
                        head.message_kind <= std::uint32_t(parallel::kLastKind) && head.numbers <= kMostNumbers &&
                        head.places <= kMostNumbers && head.text <= kMostText;
  if (!is_sound) throw Error(ErrorKind::internal, "a rank sent bytes that are no packet");
  Announced out{{PacketKind(head.kind), head.to}, head.numbers, std::nullopt};
  if (head.in_ring > 0) out.in_ring = head.in_ring - 1;
  out.packet.message = {.kind = parallel::Kind(head.message_kind),
                        .from = head.from,
                        .clock = head.clock,
                        .shard = head.shard,
                        .samples = head.samples,
                        .weight = head.weight,
                        .wants_reply = (head.flags & kWantsReply) != 0,
                        .share = head.share,
                        .packed = head.packed,
                        .is_sparse = (head.flags & kIsSparse) != 0,
                        .places = std::vector<std::uint32_t>(head.places)};
  out.packet.drawn = head.drawn;
  out.packet.generation = head.generation;
  out.packet.text.resize(head.text);
  return out;
}

}  // namespace dlrun::gang
