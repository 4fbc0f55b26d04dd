// SPDX-License-Identifier: Apache-2.0
// Packets between the processes of a gang: a message of an algorithm, or a word between a process and the first one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/message.hpp"

namespace dlrun::gang {

enum class PacketKind : std::uint32_t {
  message,  ///< between nodes
  draw,     ///< to the first process, from another host: may this one have a batch?
  batch,    ///< the answer: a number in `drawn`
  order,    ///< first process -> others: a piece of work
  begin,    ///< first process -> others: an epoch, with the states to begin it with
  ready,    ///< to the first process: it may begin
  go,       ///< first process -> others, once all are ready
  probe,    ///< first process -> others: how far are you?
  tally,    ///< the answer
  rest,     ///< first process -> others: the epoch is at its end
  regroup,  ///< first process -> others: one was lost; give the states as they are
  state,    ///< to the first process: states after the epoch
  fault     ///< to the first process, last: why this one cannot go on
};

struct Packet {
  PacketKind kind = PacketKind::message;
  int to = 0;                             ///< node, of a message only
  parallel::Message<float> message = {};  ///< numbers in it also carry states
  std::string text = {};
  int generation = 0;      ///< goes up where a gang goes on without a process; older packets are void
  std::int64_t drawn = 0;  ///< batches of the epoch that have been dealt out, as far as its sender knows
};

/// Bytes of a packet before its numbers and text.
inline constexpr std::size_t kHeadBytes = 112;

/// The head of a packet; numbers, places and text follow it as they are in memory: all processes are of one machine's
/// kind.
/// @param in_ring  position of its numbers there, in place of following
std::string head_of(const Packet& packet, std::optional<std::uint64_t> in_ring);

struct Announced {
  Packet packet;            ///< without numbers, with room for its places and text
  std::size_t numbers = 0;  ///< how many there are
  std::optional<std::uint64_t> in_ring;
};

/// @throws Error(internal) for bytes that are no head, or name more than fits into memory
Announced read_head(std::string_view bytes);

}  // namespace dlrun::gang
