// SPDX-License-Identifier: Apache-2.0
// A gang that goes on without a rank: what each kind of method needs to agree on, by numbers worked out by hand.
#include "parallel/regroup.hpp"
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace regroup_test {

using namespace parallel_test;

namespace {

/// Ranks 0 to 2 with weights 1, 2 and 4, in rounds 5, 6 and 5.
Members<double> three() {
  Members<double> members;
  const double weights[] = {1, 2, 4};
  const std::int64_t clocks[] = {5, 6, 5};
  for (int i = 0; i < 3; ++i) {
    Rank<double>& rank = members.ranks.emplace_back();
    rank.weights = {weights[i]};
    rank.clock = clocks[i];
    rank.weight = 0.25;
  }
  return members;
}

}  // namespace

TEST_CASE("a rank that leaves takes its places in the server's lists with it, and its copy brings them back",
          "[parallel]") {
  Members<double> members = three();
  Server<double>& server = members.servers.emplace_back();
  server.counts = {10, 11, 12};
  const auto ssp = make_algorithm<double>(Ssp{});
  leave(*ssp, members, 1);
  REQUIRE(members.ranks.size() == 2);
  CHECK(members.ranks[1].weights == std::vector<double>{4});
  CHECK(server.counts == std::vector<std::int64_t>{10, 12});
  CHECK(server.answered.empty());
  join(*ssp, members, 1);
  REQUIRE(members.ranks.size() == 3);
  CHECK(members.ranks[1].weights == std::vector<double>{1});
  CHECK(members.ranks[2].weights == std::vector<double>{4});
  CHECK(server.counts == std::vector<std::int64_t>{10, 10, 12});
}

TEST_CASE("dropped gradients stay counted if their rank leaves, and are none of the one that comes back",
          "[parallel]") {
  Members<double> members = three();
  Server<double>& server = members.servers.emplace_back();
  server.counts = {10, 11, 12};
  const auto dropping = make_algorithm<double>(Bsp{.drop_slowest = 1});
  leave(*dropping, members, 1);
  CHECK(server.counts == std::vector<std::int64_t>{21, 12});
  join(*dropping, members, 1);
  CHECK(server.counts == std::vector<std::int64_t>{21, 0, 12});
  leave(*dropping, members, 0);
  CHECK(server.counts == std::vector<std::int64_t>{21, 12});
}

TEST_CASE("ranks that are equal become the first again, others keep their weights", "[parallel]") {
  Members<double> equal = three(), local = three();
  mend(*make_algorithm<double>(ArSgd{}), equal);
  mend(*make_algorithm<double>(LocalSgd{}), local);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(equal.ranks[i].weights == std::vector<double>{1});
    CHECK(equal.ranks[i].clock == 5);
    CHECK(local.ranks[i].clock == 5);
  }
  CHECK(local.ranks[1].weights == std::vector<double>{2});
}

TEST_CASE("no rank of sgp waits for a half that was sent before", "[parallel]") {
  Members<double> members = three();
  members.ranks[0].clock = 6;
  for (Rank<double>& rank : members.ranks) rank.pulled = rank.clock;  // 6, 6, 5: all halves are taken in
  mend(*make_algorithm<double>(Sgp{}), members);
  CHECK(members.ranks[2].clock == 6);
  CHECK(members.ranks[2].pulled == 6);
}

TEST_CASE("ranks of diloco part from one anchor again", "[parallel]") {
  Members<double> members = three();
  for (Rank<double>& rank : members.ranks) rank.anchor = rank.weights, rank.velocity = {-rank.weights[0]};
  mend(*make_algorithm<double>(DiLoCo{}), members);
  CHECK(members.ranks[2].anchor == std::vector<double>{1});
  CHECK(members.ranks[2].velocity == std::vector<double>{-1});
  CHECK(members.ranks[2].weights == std::vector<double>{4});
}

TEST_CASE("a server whose answer may be lost sends all numbers again", "[parallel]") {
  Members<double> members = three();
  Server<double>& server = members.servers.emplace_back();
  server.weights = {7};
  server.clock = 9;
  server.answered = {9, 8, 9};
  mend(*make_algorithm<double>(Asp{}), members);
  CHECK(server.answered == std::vector<std::int64_t>{-1, -1, -1});
}

TEST_CASE("a rank of aladdin pushes again though its receipts were lost", "[parallel]") {
  Setting setting;
  setting.parallel = {.method = Aladdin{}, .ranks = 2};
  Run<float> run(setting);
  run.members.ranks[0].receipts_due = 2;  // as many as it waits for
  run.epoch(20);
  CHECK(run.members.servers[0].clock == 20);
}

TEST_CASE("ranks of bsp take the server's weights", "[parallel]") {
  Members<double> members = three();
  members.servers.resize(2);
  members.servers[0].weights = {7};
  members.servers[1].weights = {8};
  mend(*make_algorithm<double>(Bsp{}), members);
  CHECK(members.ranks[2].weights == std::vector<double>{7, 8});
}

TEST_CASE("shares of gossip that went with a rank are shared out again", "[parallel]") {
  Members<double> members = three();
  const auto gossip = make_algorithm<double>(GoSgd{});
  leave(*gossip, members, 2);
  mend(*gossip, members);
  CHECK(members.ranks[0].weight == 0.5);
  CHECK(members.ranks[1].clock == 6);
  CHECK(gossip->model(members) == std::vector<double>{1.5});
}

TEST_CASE("ranks of gossip that come back leave the model as it is, and have half of the first rank's share",
          "[parallel]") {
  Members<double> members = three();
  const auto gossip = make_algorithm<double>(GoSgd{});
  leave(*gossip, members, 2);
  leave(*gossip, members, 1);
  mend(*gossip, members);
  join(*gossip, members, 1);
  CHECK(members.ranks[0].weight == 0.5);
  CHECK(members.ranks[1].weight == 0.5);
  join(*gossip, members, 2);
  CHECK(members.ranks[0].weight == 0.25);
  CHECK(members.ranks[2].weight == 0.25);
  CHECK(gossip->model(members) == std::vector<double>{1});
}

TEST_CASE("a rank of sgp that comes back has the first one's sums and its weight", "[parallel]") {
  Members<double> members = three();
  const auto sgp = make_algorithm<double>(Sgp{});
  leave(*sgp, members, 1);
  join(*sgp, members, 1);
  CHECK(members.ranks[0].weight == 0.25);
  CHECK(members.ranks[1].weight == 0.25);
}

TEST_CASE("nodes find their processes when a rank is lost", "[parallel]") {
  Gang gang;
  gang.ranks = 2;
  gang.founders = 3;
  gang.seats = {0, 2};
  gang.shards = {{0, 4, 1}};
  CHECK(gang.process_of(1) == 2);
  CHECK(gang.process_of(gang.server(0)) == 3);
}

}  // namespace regroup_test
