// SPDX-License-Identifier: Apache-2.0
// What was gathered in a transaction leaves in one order, and only when it is released.
#include "driver/outbox.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace outbox_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

executor::AttemptKey attempt(std::int64_t trial) { return {support::piece_of(trial), 1}; }

Work work(std::int64_t trial) { return {{support::piece_of(trial), 1, 0, 1, ""}}; }

/// What leaves, in order. Attempts of even trials are held by worker 5.
std::vector<std::string> released(Outbox& outbox) {
  support::WritingExecutor executor;
  std::vector<std::string>& lines = executor.lines;
  outbox.release(executor,
                 {[](const executor::AttemptKey& abandoned) {
                    const bool is_held = abandoned.piece.member.trial.value % 2 == 0;
                    return is_held ? std::optional<std::int64_t>(5) : std::nullopt;
                  },
                  [&](Work started) { lines.push_back(fmt::format("start {}", started.piece.key.member.trial.value)); },
                  [&](trial::TrialId trial) { lines.push_back(fmt::format("partials of {}", trial.value)); }});
  return lines;
}

}  // namespace

TEST_CASE("all that was gathered leaves once, answers to workers first", "[driver][outbox]") {
  Outbox outbox;
  outbox.reply(9, {{"ok", true}});
  outbox.remove_partials(trial::TrialId(3));
  outbox.start(work(4));
  outbox.abandon(attempt(2));
  outbox.abandon(attempt(7));  // nobody holds it
  outbox.acknowledge(1, attempt(0), false);
  outbox.acknowledge(2, attempt(1), true);
  CHECK(released(outbox) ==
        std::vector<std::string>{"ack to 1", "fenced to 2", "abandon to 5", "start 4", "partials of 3", "reply to 9"});
  CHECK(released(outbox).empty());
}

TEST_CASE("work that is no longer wanted does not leave", "[driver][outbox]") {
  Outbox outbox;
  outbox.start(work(1));
  outbox.start(work(3));
  outbox.abandon(attempt(1));
  CHECK(released(outbox) == std::vector<std::string>{"start 3"});
}

}  // namespace outbox_test
