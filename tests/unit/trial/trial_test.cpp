// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "trial/json.hpp"
#include "trial/runner.hpp"
#include "util/error.hpp"

namespace trial_test {

using namespace dlrun;
using namespace dlrun::trial;

TEST_CASE("a result comes back from JSON as it went in", "[trial][json]") {
  PieceResult r;
  r.key = {{TrialId(17), 1, 2}, 3};
  r.attempt = 2;
  r.outcome = Outcome::failed;
  r.cause = Cause::nan;
  r.message = "loss is nan";
  r.reports = {{1, {{"train.loss", 0.1}, {"val.accuracy", 1.0 / 3}}}};
  r.artifacts = {{"last", std::string(64, 'a'), 12, 3}};
  CHECK(piece_result(parse_json(to_text(to_json(r)), "r")) == r);
}

TEST_CASE("a malformed result is an error that says what is missing", "[trial][json]") {
  CHECK_THROWS_WITH(piece_result(Json::object()), Contains("piece"));
  CHECK_THROWS_AS(piece_result(Json::parse(R"({"piece":[1,0,0,0],"attempt":1,"outcome":"odd"})")), Error);
}

// A study that searched or ablated `model.nodes.drop.p` of a network whose file says `p: p` was refused: nothing used
// 'p'.
TEST_CASE("names of let go with the places that used them", "[trial][configured]") {
  const Json trial = Json::parse(R"({"model":{"let":{"p":0.5,"width":8,"hidden":"2 * width","idle":1},
    "nodes":[{"name":"fc","out":"hidden"},{"name":"drop","p":"p"}]}})");
  const Json without_p = configured(trial, {{"model.nodes.drop.p", 0}})["model"]["let"];
  CHECK(without_p == Json::parse(R"({"width":8,"hidden":"2 * width","idle":1})"));
  const Json without_width = configured(trial, {{"model.nodes.fc.out", 4}})["model"]["let"];
  CHECK(without_width == Json::parse(R"({"p":0.5,"idle":1})"));  // nothing used `idle` before: a fault of who wrote it
  CHECK(configured(trial, {{"model.let.width", 4}})["model"]["let"]["width"] == 4);
}

TEST_CASE("places are found by key and by name, dots in names included", "[trial][configured]") {
  const Json trial = Json::parse(R"({"optimizer":{"lr":1},"model":{"nodes":[{"name":"a","out":1},
    {"name":"b","body":[{"name":"c","out":2}]},{"name":"s.conv","out":3}]}})");
  const Json config = configured(
      trial,
      {{"optimizer.lr", 2}, {"model.nodes.a.out", 5}, {"model.nodes.b.body.c.out", 6}, {"model.nodes.s.conv.out", 7}});
  CHECK(config["optimizer"]["lr"] == 2);
  CHECK(config["model"]["nodes"][0]["out"] == 5);
  CHECK(config["model"]["nodes"][1]["body"][0]["out"] == 6);
  CHECK(config["model"]["nodes"][2]["out"] == 7);
  CHECK_THROWS_WITH(configured(trial, {{"model.nodes.z.out", 2}}), Contains("model.nodes.z.out"));
  CHECK(setting_at(config, "model.nodes.s.conv.out") == 7);
  CHECK(setting_at(config, "model.nodes.z.out").is_null());
  CHECK(setting_at(config, "optimizer.momentum").is_null());
}

}  // namespace trial_test
