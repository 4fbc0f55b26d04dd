// SPDX-License-Identifier: Apache-2.0
// The driver's side of a plugin's process: what passes to the other side, and what goes wrong on the way.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "guest/channel.hpp"
#include "guest/guest_sampler.hpp"
#include "guest/plain_values.hpp"
#include "guest/process.hpp"
#include "guest/space_json.hpp"
#include "plugin/taken.hpp"
#include "process/ends.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace guest_test {

using namespace dlrun;
using namespace dlrun::guest;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

space::Parameter parameter(const char* name, space::Type type, double low, double high) {
  return {.name = name,
          .at = {},
          .type = type,
          .low = low,
          .high = high,
          .step = {},
          .choices = {},
          .when = {},
          .edits = {}};
}

/// A choice, a log scale under a condition, steps, a sum and a forbidden pair.
space::Space every_kind() {
  space::Parameter opt = parameter("opt", space::Type::categorical, 0, 1);
  opt.choices = {"sgd", 7, true};
  space::Parameter lr = parameter("lr", space::Type::real, 1e-4, 1);
  lr.log = true;
  lr.when = {{0, {space::Choice{0}, space::Choice{2}}}};
  space::Parameter n = parameter("n", space::Type::integer, 0, 9);
  n.step = 3;
  const space::Parameter x = parameter("x", space::Type::real, 0, 1);
  return space::Space(
      {opt, lr, n, x},
      {{"lr + x <= 1", space::Linear{{{1, 1}, {3, 1}}, space::Relation::at_most, 1}},
       {"no 7 with n 3 and small x",
        space::Forbidden{{{0, {space::Choice{1}}, {}}, {2, {std::int64_t(3)}, {}}, {3, {}, {{0, 0.25}}}}}}});
}

struct Pair {
  process::Ends ends = process::socket_pair();
  Channel ours{std::move(ends.ours)}, theirs{std::move(ends.theirs)};
};

}  // namespace

TEST_CASE("a space comes back with its conditions and constraints", "[guest]") {
  const space::Space before = every_kind();
  const Json sent = Json::from_msgpack(Json::to_msgpack(space_to_json(before)));
  const space::Space after = space_from_json(sent);
  CHECK(space_to_json(after) == space_to_json(before));
  const space::Values bound{space::Choice{1}, {}, std::int64_t(3), 0.2};
  CHECK_FALSE(after.satisfies(bound));
  CHECK(after.satisfies({space::Choice{1}, {}, std::int64_t(3), 0.5}));
  CHECK_FALSE(after.satisfies({space::Choice{0}, 0.9, std::int64_t(0), 0.2}));
  CHECK_FALSE(after.is_active(1, bound));
  CHECK(after.from_unit(1, 0.3) == before.from_unit(1, 0.3));
}

TEST_CASE("values are plain numbers and back, others are refused", "[guest]") {
  const space::Space space = every_kind();
  const space::Parameter opt = space.parameters()[0], n = space.parameters()[2];
  CHECK(plain({space::Choice{2}, 0.5, std::int64_t(6)}) == std::vector<double>{2, 0.5, 6});
  CHECK(std::isnan(plain(space::Value())));
  CHECK(typed(opt, 2) == space::Value(space::Choice{2}));
  CHECK(typed(n, 6) == space::Value(std::int64_t(6)));
  CHECK(typed(n, std::nan("")) == space::Value());
  for (const double wrong : {-1.0, 3.0, 1.5, std::numeric_limits<double>::infinity()}) CHECK_FALSE(typed(opt, wrong));
  for (const double wrong : {0.5, 1e300, -std::numeric_limits<double>::infinity()}) CHECK_FALSE(typed(n, wrong));
}

TEST_CASE("frames arrive whole, late, damaged or not at all", "[guest]") {
  Json got;
  std::string bytes;
  append_frame(bytes, {{"a", std::nan("")}});
  append_frame(bytes, std::string(1000, 'x'));
  const auto soon = [] { return steady_clock::now() + milliseconds(20); };
  Pair first;  // nobody reads
  CHECK(first.ours.send(std::string(4'000'000, 'x'), soon()) == Outcome::late);
  Pair second;
  CHECK(second.theirs.receive(got, soon()) == Outcome::late);
  CHECK(second.ours.send(std::string_view(bytes).substr(0, 100), soon()) == Outcome::done);
  CHECK(second.theirs.receive(got, soon()) == Outcome::done);
  CHECK(std::isnan(got.at("a").get<double>()));
  CHECK(second.theirs.receive(got, soon()) == Outcome::late);
  second.ours.close();
  CHECK(second.theirs.receive(got, soon()) == Outcome::closed);
  Pair third;
  CHECK(third.ours.send(std::string("\3\0\0\0\xc1\xc1\xc1", 7), soon()) == Outcome::done);
  CHECK(third.theirs.receive(got, soon()) == Outcome::damaged);
  Pair fourth;  // the receiver went on to take in 4 GiB
  CHECK(fourth.ours.send(std::string("\xff\xff\xff\xff", 4), soon()) == Outcome::done);
  CHECK(fourth.theirs.receive(got, soon()) == Outcome::too_long);
}

// Half a megabyte, meant as gigabytes, was no limit at all.
TEST_CASE("limits of the environment are numbers in their range", "[guest]") {
  const auto [name, text, message] = GENERATE(table<const char*, const char*, const char*>({
      {"DLRUN_PLUGIN_MEMORY_MB", "0.5", "must be a number of at least 1 and below 1000000, but is '0.5'"},
      {"DLRUN_PLUGIN_MEMORY_MB", "2000000", "must be a number of at least 1 and below 1000000, but is '2000000'"},
      {"DLRUN_PLUGIN_MEMORY_MB", "77.5", nullptr},
      {"DLRUN_PLUGIN_DEADLINE", "0", "must be a number above 0 and below 1000000, but is '0'"},
      {"DLRUN_PLUGIN_DEADLINE", "0.5", nullptr},
      {"DLRUN_PLUGIN_DEADLINE", "", nullptr},
  }));
  CAPTURE(name, text);
  ::setenv(name, text, 1);
  if (message != nullptr) CHECK_THROWS_WITH(limits_of_environment(), Contains(message));
  if (message == nullptr) CHECK(limits_of_environment().memory_mb >= 77);
  ::unsetenv(name);
}

TEST_CASE("a sampler without a plugin fails with the first proposal, not before", "[guest]") {
  GuestSampler sampler(every_kind(), {.name = "not_there", .options = {}, .seed = 1});
  sampler.on_start(trial::TrialId(0), {space::Choice{1}, {}, std::int64_t(0), 0.5});
  CHECK_THROWS_WITH(sampler.propose(0), "there is no sampler 'not_there'");
}

TEST_CASE("built-in samplers are known to the plugins' room", "[guest]") {
  for (const std::string& name : samplers::sampler_names()) CHECK(plugin::is_built_in(plugin::Kind::sampler, name));
  CHECK_FALSE(plugin::is_built_in(plugin::Kind::sampler, "lshade"));
  CHECK_FALSE(plugin::is_built_in(plugin::Kind::pruner, "random"));
}

}  // namespace guest_test
