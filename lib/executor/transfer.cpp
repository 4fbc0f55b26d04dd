// SPDX-License-Identifier: Apache-2.0
#include "executor/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "trial/artifacts.hpp"
#include "util/error.hpp"

namespace dlrun::executor {

namespace {

using protocol::Message;
using protocol::Stored;

bool may_read(const std::string& sha256, const std::vector<Message>& orders, const trial::WorkSetup& setup) {
  return std::any_of(orders.begin(), orders.end(), [&](const Message& message) {
    const auto* assign = std::get_if<protocol::Assign>(&message);
    if (assign == nullptr) return false;
    const auto read = trial::artifacts_read(setup, assign->order);
    return std::find(read.begin(), read.end(), sha256) != read.end();
  });
}

bool is_ordered(const protocol::Offer& offer, const std::vector<Message>& orders) {
  return std::any_of(orders.begin(), orders.end(), [&](const Message& message) {
    const auto* assign = std::get_if<protocol::Assign>(&message);
    return assign != nullptr && assign->order.key == offer.key && assign->order.attempt == offer.attempt;
  });
}

/// Why an offer is refused; empty: it is not.
std::string fault_of(const protocol::Offer& offer, const std::vector<Message>& orders) {
  if (!trial::is_sha256(offer.sha256)) return "that is no SHA-256";
  if (!is_ordered(offer, orders)) return "this worker has no such attempt to answer";
  if (offer.bytes >= 0 && offer.bytes <= protocol::kMostBytes) return {};
  return fmt::format("{} bytes are none an artifact may have, at most {}", offer.bytes, protocol::kMostBytes);
}

}  // namespace

bool Transfer::is_about(const Message& message) {
  return std::holds_alternative<protocol::Ask>(message) || std::holds_alternative<protocol::Offer>(message) ||
         std::holds_alternative<protocol::Want>(message) || std::holds_alternative<protocol::Chunk>(message);
}

std::vector<Message> Transfer::handle(const Message& message, const std::vector<Message>& orders) {
  if (const auto* ask = std::get_if<protocol::Ask>(&message)) return lend(*ask, orders);
  if (const auto* want = std::get_if<protocol::Want>(&message)) return answer(*want);
  if (const auto* offer = std::get_if<protocol::Offer>(&message)) return begin(*offer, orders);
  if (!incoming_) return {};  // the chunk is of a transfer that was given up meanwhile
  incoming_->write(std::get<protocol::Chunk>(message));
  return go_on();
}

Transfer::Messages Transfer::lend(const protocol::Ask& ask, const Messages& orders) {
  outgoing_.reset();
  if (!may_read(ask.sha256, orders, options_.setup)) return {Stored{ask.sha256, "no order of this worker reads it"}};
  const std::filesystem::path file = trial::artifact_file(options_.setup, ask.sha256);
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return {Stored{ask.sha256, "it is missing in the store"}};
  try {
    outgoing_.emplace(ask.sha256, file);
    return {protocol::Offer{ask.sha256, outgoing_->bytes()}};
  } catch (const Error& fault) {
    return {Stored{ask.sha256, fault.what()}};
  }
}

Transfer::Messages Transfer::answer(const protocol::Want& want) const {
  if (!outgoing_ || outgoing_->sha256() != want.sha256) return {};
  return {outgoing_->chunk(want.offset)};
}

Transfer::Messages Transfer::begin(const protocol::Offer& offer, const Messages& orders) {
  const std::string fault = fault_of(offer, orders);
  if (!fault.empty() || has(offer.sha256, offer.bytes)) return {Stored{offer.sha256, fault}};
  if (incoming_ && incoming_->is_of(offer)) {
    incoming_->ask_again();  // the worker has a new connection
    return go_on();
  }
  incoming_.reset();
  incoming_.emplace(offer, options_.network->staging / fmt::format("{}.{}", worker_, offer.sha256));
  return go_on();
}

/// Asks for more of the artifact that comes in, or finishes it.
Transfer::Messages Transfer::go_on() {
  if (!incoming_->is_whole()) {
    const auto wants = incoming_->wants();
    return Messages(wants.begin(), wants.end());
  }
  Stored stored{incoming_->sha256(), {}};
  try {
    incoming_->finish(trial::artifact_file(options_.setup, stored.sha256));
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    stored.fault = fault.what();
  }
  incoming_.reset();
  return {stored};
}

std::string Transfer::missing_of(const trial::PieceResult& result) const {
  for (const trial::Artifact& artifact : result.artifacts) {
    const bool is_there = trial::is_sha256(artifact.sha256) && has(artifact.sha256, artifact.bytes);
    if (!is_there) return fmt::format("artifact '{}' of {} bytes", artifact.sha256.substr(0, 64), artifact.bytes);
  }
  return {};
}

/// Does the store have the artifact, by its size? The content was compared with its name when it came, and is compared
/// again by whoever reads it.
bool Transfer::has(const std::string& sha256, std::int64_t bytes) const {
  std::error_code fault;
  const std::uintmax_t found = std::filesystem::file_size(trial::artifact_file(options_.setup, sha256), fault);
  return !fault && found == static_cast<std::uintmax_t>(bytes);
}

}  // namespace dlrun::executor
