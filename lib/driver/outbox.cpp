// SPDX-License-Identifier: Apache-2.0
#include "driver/outbox.hpp"

#include <utility>

namespace dlrun::driver {

void Outbox::abandon(const executor::AttemptKey& attempt) {
  std::erase_if(started_, [&](const Work& work) { return work.attempt() == attempt; });
  abandoned_.push_back(attempt);
}

void Outbox::release(executor::Executor& executor, const Receivers& receivers) {
  for (const auto& [worker, attempt, is_stale] : std::exchange(answers_, {})) {
    if (is_stale) {
      executor.send(worker, protocol::Fenced{attempt.piece, attempt.attempt});
    } else {
      executor.send(worker, protocol::Ack{attempt.piece, attempt.attempt});
    }
  }
  for (const executor::AttemptKey& attempt : std::exchange(abandoned_, {})) {
    const auto worker = receivers.abandon(attempt);
    if (worker) executor.send(*worker, protocol::Abandon{attempt.piece, attempt.attempt});
  }
  for (const trial::TrialId trial : std::exchange(ended_, {})) {
    for (const std::int64_t worker : receivers.end_programs(trial)) executor.send(worker, protocol::EndTrial{trial});
  }
  for (Work& work : std::exchange(started_, {})) receivers.start(std::move(work));
  for (const trial::TrialId trial : std::exchange(decided_, {})) receivers.remove_partials(trial);
  for (const Reply& reply : std::exchange(replies_, {})) executor.answer(reply.client, reply.json);
}

}  // namespace dlrun::driver
