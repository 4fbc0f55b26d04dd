// SPDX-License-Identifier: Apache-2.0
// The driver's end of the artifacts of one worker that does not see the store. The worker may read artifacts that its
// orders read, and leave those that its results name; by hash only, never by a path. Private to this room.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/hub_options.hpp"
#include "protocol/transfer.hpp"

namespace dlrun::executor {

/// One artifact at a time in each direction; the next one replaces an unfinished one.
class Transfer {
 public:
  /// @param options  outlive it
  Transfer(const HubOptions& options, std::int64_t worker) : options_(options), worker_(worker) {}

  static bool is_about(const protocol::Message& message);
  /// Answers to a message. REQUIRES: is_about(message).
  /// @param orders  Assign and other messages that the worker has not answered
  /// @throws Error(usage) if it breaks the rules; Error(outside) if the store's disk is full, or the like
  std::vector<protocol::Message> handle(const protocol::Message& message, const std::vector<protocol::Message>& orders);
  /// An artifact that the result names and the store has not; empty: none is missing.
  std::string missing_of(const trial::PieceResult& result) const;

 private:
  using Messages = std::vector<protocol::Message>;
  Messages lend(const protocol::Ask& ask, const Messages& orders);
  Messages answer(const protocol::Want& want) const;
  Messages begin(const protocol::Offer& offer, const Messages& orders);
  Messages go_on();
  bool has(const std::string& sha256, std::int64_t bytes) const;

  const HubOptions& options_;
  std::int64_t worker_;
  std::optional<protocol::OutgoingArtifact> outgoing_;
  std::optional<protocol::IncomingArtifact> incoming_;
};

}  // namespace dlrun::executor
