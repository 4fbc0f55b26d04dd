// SPDX-License-Identifier: Apache-2.0
#include "driver/retrying.hpp"

#include "driver/backoff.hpp"

namespace dlrun::driver {

Clock::duration Retrying::wait_after(const study::Event& event) const {
  if (const auto* lost = std::get_if<study::AttemptLost>(&event)) return wait(lost->key, lost->cause);
  const auto* ended = std::get_if<study::PieceEnded>(&event);
  const auto* test = std::get_if<study::TestMeasured>(&event);
  if (!ended && !test) return Clock::duration::zero();
  const trial::PieceResult& result = ended ? ended->result : test->result;
  return result.outcome == trial::Outcome::failed ? wait(result.key, result.cause) : Clock::duration::zero();
}

Clock::duration Retrying::wait(const trial::PieceKey& piece, trial::Cause cause) const {
  return std::chrono::duration_cast<Clock::duration>(
      wait_before_retry(parts_.delay, parts_.blame.losses(piece), cause));
}

Work Retrying::as_known(Work work, Clock::duration wait) const {
  if (wait.count() > 0) work.not_before = parts_.clock.now() + wait;
  work.alone_on = parts_.crowded.host_of(work.piece.key);
  return work;
}

}  // namespace dlrun::driver
