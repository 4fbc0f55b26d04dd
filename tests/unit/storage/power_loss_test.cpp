// SPDX-License-Identifier: Apache-2.0
// The power goes off: what was acknowledged is there afterwards, and what is there is whole.
#include <sys/wait.h>
#include <unistd.h>

#include "power_loss.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/seeds.hpp"
#include "support/temp_folder.hpp"
#include "util/random.hpp"
#include "writer.hpp"

namespace power_loss_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

/// A writer whose power goes off. @return the last trial it had acknowledged
std::int64_t cut_power(const std::filesystem::path& folder, std::int64_t first, int calls, std::uint64_t seed,
                       Durability durability) {
  int pipes[2];
  REQUIRE(::pipe(pipes) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    lose_power_after(calls, seed);
    write_for_ever(folder, first, pipes[1], durability);
  }
  ::close(pipes[1]);
  std::int64_t last = first - 1, said = 0;
  while (::read(pipes[0], &said, sizeof said) == sizeof said) last = said;
  ::close(pipes[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 9);
  return last;
}

struct Outcome {
  std::int64_t acknowledged = 0, lost = 0;
};

Outcome cut_again_and_again(Durability durability) {
  const TempFolder folder;
  Store::create(folder.path(), support::sample_row(), {})->close();
  RandomStream random(11, {"cuts"});
  Outcome outcome;
  std::int64_t next = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    INFO("round " << round);
    const std::int64_t last = cut_power(folder.path(), next, 1 + int(random.below(120)), round, durability);
    const auto store = Store::open(folder.path(), "sample", {});
    const Written written = read_log(*store);
    CHECK(written.is_ordered);
    CHECK(written.rows % 2 == 0);
    CHECK(written.rows / 2 >= next);
    outcome.acknowledged += last + 1 - next;
    outcome.lost += std::max<std::int64_t>(0, last + 1 - written.rows / 2);
    next = written.rows / 2;
  }
  return outcome;
}

}  // namespace

TEST_CASE("what was committed in full outlives a loss of power", "[storage][crash]") {
  const Outcome outcome = cut_again_and_again(Durability::full);
  CHECK(outcome.acknowledged > 60);
  CHECK(outcome.lost == 0);
}

TEST_CASE("what was committed without a sync may be lost, and what is left is whole", "[storage][crash]") {
  CHECK(cut_again_and_again(Durability::normal).lost > 0);  // the disk of this test does lose
}

}  // namespace power_loss_test
