// SPDX-License-Identifier: Apache-2.0
// The artifacts of a worker that does not see the store: brought before a piece begins, handed over before its result
// is sent, both through the driver.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "protocol/transfer.hpp"
#include "worker/link.hpp"
#include "worker/scratch.hpp"

namespace dlrun::worker {

/// Threads: for the main thread. A connection that is lost meanwhile is waited for, and what had come stays.
class Courier {
 public:
  /// @param link, scratch  outlive it
  Courier(Link& link, const Scratch& scratch);

  const Scratch& scratch() const { return scratch_; }
  /// As the runner is to see it.
  const trial::WorkSetup& setup() const { return setup_; }
  /// The order as it is to be run here, all that it reads being here; nullopt: the piece should end before it began.
  /// @throws Error naming the artifact that cannot be had, and why.
  std::optional<trial::PieceOrder> bring(const trial::PieceOrder& order, const std::set<std::string>& folders);
  /// Why no machine could hand over the result: an artifact is too large. Empty: it can be handed over.
  static std::string size_fault(const trial::PieceResult& result);
  /// True: the store has all the artifacts that the result names. False: nobody wants it any more.
  /// @throws Error naming the artifact that the store does not take, and why.
  bool hand_over(const trial::PieceResult& result);

 private:
  bool bring(const std::string& sha256);
  bool go_on(protocol::IncomingArtifact& incoming);
  bool hand_over(const protocol::Offer& offer);

  Link& link_;
  const Scratch& scratch_;
  trial::WorkSetup setup_;
};

}  // namespace dlrun::worker
