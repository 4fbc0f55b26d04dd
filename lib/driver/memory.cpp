// SPDX-License-Identifier: Apache-2.0
#include "driver/memory.hpp"

#include <algorithm>

#include "storage/clock.hpp"

namespace dlrun::driver {

using std::chrono::milliseconds;

Memory::Memory(const storage::Store& store, Blame& blame, Crowded& crowded, Blame::Time now)
    : store_(store), blame_(blame), crowded_(crowded), now_(now), today_(storage::now_ms()) {}

void Memory::replay(const study::Event& event) {
  if (const auto* lost = std::get_if<study::AttemptLost>(&event)) remember(lost->key, lost->attempt, lost->cause);
  const auto* ended = std::get_if<study::PieceEnded>(&event);
  if (ended == nullptr) return;
  const trial::PieceResult& result = ended->result;
  const bool has_failed = result.outcome == trial::Outcome::failed;
  remember(result.key, result.attempt, has_failed ? std::optional(result.cause) : std::nullopt);
}

/// Skips most successes: they say nothing, and finding out where they were takes time.
void Memory::remember(const trial::PieceKey& piece, int attempt, std::optional<trial::Cause> loss) {
  remember_crowded(piece, attempt, loss);
  if (!blame_.can_learn(piece, loss)) return;
  auto where = store_.attempts().whereabouts(piece, attempt);
  if (!where) return;
  const milliseconds age = std::max(today_ - milliseconds(where->ended), milliseconds(0));
  blame_.remember({.piece = piece,
                   .host = std::move(where->host),
                   .hosts = std::move(where->hosts),
                   .loss = loss,
                   .when = now_ - age});
}

void Memory::remember_crowded(const trial::PieceKey& piece, int attempt, std::optional<trial::Cause> loss) {
  if (!loss) crowded_.forget(piece);
  if (loss != trial::Cause::crowded) return;
  const auto where = store_.attempts().whereabouts(piece, attempt);
  if (where) crowded_.remember(piece, where->host);
}

}  // namespace dlrun::driver
