// SPDX-License-Identifier: Apache-2.0
#include "worker/courier.hpp"

#include <fmt/format.h>

#include <system_error>

#include "trial/artifacts.hpp"
#include "util/error.hpp"

namespace dlrun::worker {

namespace {

using protocol::Chunk;
using protocol::Offer;
using protocol::Stored;
using protocol::Want;
using protocol::Welcome;

/// The message, where it is of this kind and about this artifact; nullptr: it is not.
template <class T>
const T* about(const protocol::Message& message, const std::string& sha256) {
  const auto* found = std::get_if<T>(&message);
  return found != nullptr && found->sha256 == sha256 ? found : nullptr;
}

}  // namespace

Courier::Courier(Link& link, const Scratch& scratch)
    : link_(link), scratch_(scratch), setup_(scratch.setup(link.setup())) {}

std::optional<trial::PieceOrder> Courier::bring(const trial::PieceOrder& order, const std::set<std::string>& folders) {
  link_.count_time(false);
  const std::vector<std::string> read = trial::artifacts_read(link_.setup(), order);
  std::vector<std::string> kept = trial::artifacts_read(link_.setup(), {});  // by every trial that begins
  kept.insert(kept.end(), read.begin(), read.end());
  scratch_.keep_only(kept, folders);
  for (const std::string& sha256 : read) {
    if (!std::filesystem::exists(trial::artifact_file(setup_, sha256)) && !bring(sha256)) return std::nullopt;
  }
  link_.count_time(true);
  return scratch_.order(link_.setup(), order);
}

bool Courier::bring(const std::string& sha256) {
  std::optional<protocol::IncomingArtifact> incoming;
  link_.say(protocol::Ask{sha256});
  while (const auto message = link_.hear(false)) {
    if (std::holds_alternative<Welcome>(*message)) link_.say(protocol::Ask{sha256});
    if (const auto* stored = about<Stored>(*message, sha256)) {
      throw Error(ErrorKind::store, fmt::format("artifact {} cannot be had: {}", sha256, stored->fault));
    }
    if (const auto* offer = about<Offer>(*message, sha256)) {
      if (incoming) incoming->ask_again();
      if (!incoming) incoming.emplace(*offer, scratch_.path() / sha256);
    }
    const auto* chunk = about<Chunk>(*message, sha256);
    if (incoming && chunk != nullptr) incoming->write(*chunk);
    if (incoming && go_on(*incoming)) return true;
  }
  return false;
}

/// True: it is here.
bool Courier::go_on(protocol::IncomingArtifact& incoming) {
  link_.step();  // a sign of life
  for (const Want& want : incoming.wants()) link_.say(want);
  if (!incoming.is_whole()) return false;
  incoming.finish(trial::artifact_file(setup_, incoming.sha256()));
  return true;
}

std::string Courier::size_fault(const trial::PieceResult& result) {
  for (const trial::Artifact& artifact : result.artifacts) {
    if (artifact.bytes <= protocol::kMostBytes) continue;
    return fmt::format("its artifact '{}' has {} bytes, but workers with --scratch hand over at most {}", artifact.role,
                       artifact.bytes, protocol::kMostBytes);
  }
  return {};
}

bool Courier::hand_over(const trial::PieceResult& result) {
  link_.count_time(false);
  for (const trial::Artifact& artifact : result.artifacts) {
    if (!hand_over({artifact.sha256, artifact.bytes, result.key, result.attempt})) return false;
  }
  return true;
}

/// The driver wants nothing of what its store has, which need not be here.
bool Courier::hand_over(const Offer& offer) {
  std::optional<protocol::OutgoingArtifact> outgoing;
  link_.say(offer);
  while (const auto message = link_.hear(true)) {
    if (std::holds_alternative<Welcome>(*message)) link_.say(offer);
    if (const auto* want = about<Want>(*message, offer.sha256)) {
      if (!outgoing) outgoing.emplace(offer.sha256, trial::artifact_file(setup_, offer.sha256));
      link_.say(outgoing->chunk(want->offset));
      link_.step();
    }
    const auto* stored = about<Stored>(*message, offer.sha256);
    if (stored == nullptr) continue;
    if (stored->fault.empty()) return true;
    throw Error(ErrorKind::outside,
                fmt::format("the store does not take artifact {}: {}", offer.sha256, stored->fault));
  }
  return false;
}

}  // namespace dlrun::worker
