// SPDX-License-Identifier: Apache-2.0
// A gang that goes on without a rank: what each kind of method needs to agree on, by numbers worked out by hand.
#include "parallel/regroup.hpp"
#include "support/catch.hpp"

namespace regroup_test {

using namespace dlrun::parallel;

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
  leave(members, 1);
  REQUIRE(members.ranks.size() == 2);
  CHECK(members.ranks[1].weights == std::vector<double>{4});
  CHECK(server.counts == std::vector<std::int64_t>{10, 12});
  CHECK(server.answered.empty());
  join(members, 1);
  REQUIRE(members.ranks.size() == 3);
  CHECK(members.ranks[1].weights == std::vector<double>{1});
  CHECK(members.ranks[2].weights == std::vector<double>{4});
  CHECK(server.counts == std::vector<std::int64_t>{10, 10, 12});
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
  leave(members, 2);
  const auto gossip = make_algorithm<double>(GoSgd{});
  mend(*gossip, members);
  CHECK(members.ranks[0].weight == 0.5);
  CHECK(members.ranks[1].clock == 6);
  CHECK(gossip->model(members) == std::vector<double>{1.5});
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
