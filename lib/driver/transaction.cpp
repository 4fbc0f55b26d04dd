// SPDX-License-Identifier: Apache-2.0
// Rows of one transaction, and what may leave once they are on the disk.
#include <utility>

#include "driver/loop.hpp"

namespace dlrun::driver {

/// Everything that came in this round, and the decisions that follow, share one transaction and one fsync.
void Loop::commit_round() {
  for (Incoming& found : citing_.take_found()) incoming_.push_back(std::move(found));
  if (incoming_.empty() && !side_rows_.needs_full_commit()) {
    commit_telemetry();
  } else {
    store_.begin();
    write_side_rows();
    for (const Incoming& incoming : std::exchange(incoming_, {})) recorder_.absorb(incoming);
    if (!ending_.has_begun()) recorder_.decide();
    store_.commit(storage::Durability::full);
  }
  release();
  tell_warnings();
}

/// Values that differ from what an earlier attempt measured: loudly, but not for ever.
void Loop::tell_warnings() {
  constexpr std::size_t kMost = 20;
  const std::vector<std::string> all = store_.warnings();
  for (; warned_ < all.size(); ++warned_) {
    if (warned_ < kMost) display_.line("warning: " + all[warned_]);
    if (warned_ == kMost) display_.line("warning: more of these; `dlrun report --section divergences` has them all");
  }
}

/// Commits rows that no decision rests on: in groups, without an fsync.
void Loop::commit_telemetry() {
  if (!side_rows_.is_due(clock_.now())) return;
  store_.begin();
  write_side_rows();
  store_.commit(storage::Durability::normal);
}

void Loop::write_side_rows() {
  for (const std::string& warning : side_rows_.write(store_)) display_.line(warning);
}

/// Lets the contents of the outbox leave. REQUIRES: their rows are committed.
void Loop::release() {
  const auto abandon = [this](const executor::AttemptKey& attempt) {
    mending_.drop(attempt);
    return dispatcher_.abandon(attempt);
  };
  const auto start = [this](Work work) { mending_.queue(std::move(work)); };
  const auto remove_partials = [this](trial::TrialId trial) { store_.artifacts().remove_partials(trial); };
  const auto end_programs = [this](trial::TrialId trial) { return dispatcher_.programs().take_all(trial); };
  outbox_.release(executor_, {abandon, start, remove_partials, end_programs});
}

/// Workers that have room get the next pieces that are decided and committed.
void Loop::dispatch() {
  if (!ending_.has_begun()) placing_.place();
}

}  // namespace dlrun::driver
