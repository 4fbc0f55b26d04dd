// SPDX-License-Identifier: Apache-2.0
// Which tensors of a file a model takes, without a number in them.
#include <limits>

#include "support/catch.hpp"
#include "util/error.hpp"
#include "warmstart/transfer_rules.hpp"

namespace transfer_test {

using namespace dlrun;
using namespace dlrun::warmstart;

namespace {

const std::vector<TensorView> kFile = {{"fc1.weight", "F32", {32, 64}, {}},
                                       {"fc1.bias", "F32", {32}, {}},
                                       {"bn.num_batches_tracked", "I64", {}, {}},
                                       {"head.weight", "F16", {10, 32}, {}}};
const std::vector<Wanted> kModel = {
    {"fc1.weight", {32, 64}}, {"fc1.bias", {32}}, {"bn.num_batches_tracked", {}, true}, {"head.weight", {10, 32}}};

WarmStart start(const Json& more = Json::object()) {
  Json section = {{"policy", "partial"}, {"donors", {{{"sha256", "a"}, {"epoch", 6}, {"horizon", 24}}}}};
  section.update(more);
  return warm_start_of(section).value();
}

TransferPlan plan(const std::vector<Wanted>& model, const Json& more = Json::object()) {
  return plan_transfer(kFile, model, transfer_rules(start(more)));
}

}  // namespace

TEST_CASE("equal names, shapes and kinds are copied, whatever the width of floats", "[warmstart]") {
  const TransferPlan all = plan(kModel);
  CHECK(all.faults.empty());
  CHECK(all.share == 1);
  for (const Transfer& tensor : all.tensors) CHECK(tensor.rule == TransferRule::copied);
}

TEST_CASE("mismatches are errors, fresh, or sliced", "[warmstart]") {
  std::vector<Wanted> wide = kModel;
  wide[0].shape = {48, 64};
  wide[3] = {"last.weight", {10, 32}};
  const TransferPlan strict = plan(wide);
  REQUIRE(strict.faults.size() == 2);
  CHECK(strict.faults[0] == "E404: 'fc1.weight' is F32 [32, 64] in the file, but F32 [48, 64] in the model");
  CHECK(strict.faults[1] == "E405: the file has no tensor 'last.weight'");
  CHECK(strict.extra == std::vector<std::string>{"head.weight"});
  const TransferPlan skipped = plan(wide, {{"on_mismatch", "skip"}});
  CHECK(skipped.faults.empty());
  CHECK(skipped.tensors[0].fresh == Fresh::other_shape);
  CHECK(skipped.share == 32.0 / (48 * 64 + 32 + 320));
  const TransferPlan sliced = plan(wide, {{"on_mismatch", "slice"}});
  CHECK(sliced.tensors[0].rule == TransferRule::sliced);
  CHECK(sliced.share == (32.0 * 64 + 32) / (48 * 64 + 32 + 320));
}

TEST_CASE("a count is no float", "[warmstart]") {
  std::vector<Wanted> model = kModel;
  model[2].is_count = false;
  CHECK(plan(model).faults.front() == "E404: 'bn.num_batches_tracked' is I64 [] in the file, but F32 [] in the model");
}

TEST_CASE("patterns name tensors, layers or blocks, and not their neighbours", "[warmstart]") {
  const TransferPlan without = plan(kModel, {{"exclude", {"fc1"}}});
  CHECK(without.tensors[0].fresh == Fresh::left_out);
  CHECK(without.tensors[1].rule == TransferRule::fresh);
  CHECK(without.tensors[3].rule == TransferRule::copied);
  CHECK(without.faults.empty());
  const TransferPlan only = plan(kModel, {{"include", {"head\\.weight"}}});
  CHECK(only.tensors[0].rule == TransferRule::fresh);
  CHECK(only.tensors[3].rule == TransferRule::copied);
  CHECK_THROWS_WITH(plan(kModel, {{"include", {"("}}}), Contains("is no regular expression"));
}

TEST_CASE("names of the file are changed first", "[warmstart]") {
  std::vector<Wanted> model = kModel;
  model[0].name = "body.fc1.weight";
  model[1].name = "body.fc1.bias";
  CHECK(plan(model, {{"map", {{"(fc1.*)", "body.$1"}}}}).faults.empty());
}

TEST_CASE("a name of the file is said as it stands there", "[warmstart]") {
  const std::vector<Wanted> model = {{"body.fc1.weight", {32, 64}}};
  const TransferPlan found = plan(model, {{"map", {{"(.+)", "body.$1"}}}});
  CHECK(found.extra == std::vector<std::string>{"bn.num_batches_tracked", "fc1.bias", "head.weight"});
}

TEST_CASE("two tensors cannot become one", "[warmstart]") {
  const TransferPlan found = plan(kModel, {{"map", {{"head\\.weight", "fc1.weight"}}}, {"on_mismatch", "skip"}});
  REQUIRE(found.faults.size() == 1);
  CHECK(found.faults[0] == "E408: 'fc1.weight' and 'head.weight' of the file are both called 'fc1.weight'");
}

TEST_CASE("a number that is not finite is a fault wherever it would go", "[warmstart]") {
  const float numbers[] = {1, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<TensorView> file = {
      {"bias", "F32", {2}, std::string_view(reinterpret_cast<const char*>(numbers), sizeof(numbers))}};
  const std::string policy = GENERATE("error", "skip", "slice");
  const TransferRules rules = transfer_rules(start({{"on_mismatch", policy}}));
  const TransferPlan found = plan_transfer(file, {{"bias", {2}}}, rules);
  REQUIRE(found.faults.size() == 1);
  CHECK(found.faults[0] == "E407: 'bias' has 1 number that is not finite");
  CHECK(plan_transfer(file, {{"other", {2}}}, transfer_rules(start({{"on_mismatch", "skip"}}))).faults.empty());
}

TEST_CASE("a warm start knows where its schedule begins", "[warmstart]") {
  CHECK(start().origin() == 0);
  CHECK(start({{"schedule", "remaining"}}).origin() == 6);
  CHECK(start().fraction() == 0);
  CHECK(start({{"schedule", "continue"}}).fraction() == 0.25);
  CHECK_FALSE(warm_start_of(nullptr));
  CHECK_THROWS_AS(warm_start_of(Json{{"policy", "best"}}), Error);
  CHECK_THROWS_AS(warm_start_of(Json({{"policy", "best"}, {"donors", Json::array()}})), Error);
}

}  // namespace transfer_test
