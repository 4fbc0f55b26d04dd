// SPDX-License-Identifier: Apache-2.0
// Trainings of several ranks in virtual time as they were: values, seconds, bytes, staleness and partitions of every
// method, and what is lost and begun again. DLRUN_APPROVE=1 writes the file anew.
#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "unit/train/told.hpp"

namespace gangs_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

struct Gang {
  const char* parallel;
  const char* more = "{}";  ///< patch of the trial
};

constexpr Gang kMethods[] = {
    {R"({"op": "bsp", "ranks": 3})"},
    {R"({"op": "bsp", "ranks": 4, "drop_slowest": 1})"},
    {R"({"op": "bsp", "ranks": 2, "momentum": "worker"})"},
    {R"({"op": "bsp", "ranks": 4, "sharding": "layer", "wait_free": true, "aggregate": 2})",
     R"({"optimizer": {"op": "adam", "lr": 0.01, "momentum": null}, "cluster": {"ranks_per_host": 2}})"},
    {R"({"op": "bsp", "ranks": 3, "codec": {"op": "dgc", "ratio": 0.2}})", R"({"clip_norm": 0.5})"},
    {R"({"op": "ar_sgd", "ranks": 3, "reduce": "ring"})", R"({"clip_norm": 0.3})"},
    {R"({"op": "ar_sgd", "ranks": 2, "wait_free": true, "codec": {"op": "powersgd", "rank": 1, "least": 0}})"},
    {R"({"op": "asp", "ranks": 3})", R"({"cluster": {"stragglers": [{"rank": 1, "factor": 3}]}})"},
    {R"({"op": "asp", "ranks": 3, "momentum": "server", "codec": "bf16"})"},
    {R"({"op": "ssp", "ranks": 3, "staleness": 1})", R"({"cluster": {"stragglers": [{"rank": 0, "factor": 4}]}})"},
    {R"({"op": "ssp", "ranks": 3, "read": "on_stale", "staleness": 1, "momentum": "server"})"},
    {R"({"op": "easgd", "ranks": 3, "period": 2})"},
    {R"({"op": "gosgd", "ranks": 3, "probability": 0.4})"},
    {R"({"op": "ad_psgd", "ranks": 4})"},
    {R"({"op": "aladdin", "ranks": 3, "pushes": 2})"},
    {R"({"op": "shat", "ranks": 3})"},
    {R"({"op": "sgp", "ranks": 4})"},
    {R"({"op": "local_sgd", "ranks": 3, "period": 2})"},
    {R"({"op": "diloco", "ranks": 3, "period": 3})"},
    {R"({"op": "bsp", "ranks": 3})", R"({"lr_scaling": {"op": "adascale"}})"},
    {R"({"op": "ar_sgd", "ranks": 2})", R"({"lr_scaling": {"op": "lena"}})"},
    {R"({"op": "asp", "ranks": 3})", R"({"lr_scaling": {"op": "sqrt", "warmup": "fixed"}})"},
    {R"({"op": "ar_sgd", "ranks": 3})", R"({"lr_scaling": {"op": "linear"}, "data": {"partition": "fixed_random"}})"}};

/// Twenty batches of 4 in an epoch, a tenth of a second each.
constexpr Gang kLosses[] = {
    {R"({"op": "bsp", "ranks": 3})", R"({"failures": [{"rank": 1, "at": 0.5}], "restart": 2})"},
    {R"({"op": "asp", "ranks": 3})", R"({"failures": [{"rank": 0, "at": 0.4}, {"rank": 2, "at": 3}], "restart": 1})"},
    {R"({"op": "bsp", "ranks": 3, "on_loss": "elastic"})",
     R"({"failures": [{"rank": 1, "at": 0.25}], "restart": 0.2})"},
    {R"({"op": "ar_sgd", "ranks": 3, "on_loss": "elastic"})",
     R"({"failures": [{"rank": 2, "at": 0.15}, {"rank": 0, "at": 0.5}], "restart": 9})"},
    {R"({"op": "asp", "ranks": 3, "on_loss": "elastic"})", R"({"failures": [{"rank": 1, "at": 0.2}], "restart": 0.3})"},
    {R"({"op": "local_sgd", "ranks": 3, "period": 2, "on_loss": "elastic"})",
     R"({"failures": [{"rank": 1, "at": 0.3}], "restart": 5})"},
    {R"({"op": "bsp", "ranks": 2})", R"({"pauses": [{"rank": 1, "at": 0.2, "duration": 1}], "slowdowns": [{"every": 1,
         "duration": 0.3, "factor": 2}]})"}};

constexpr const char* kPartitions[] = {
    R"("random")",
    R"("fixed_random")",
    R"({"policy": "contiguous", "remainder": "drop"})",
    R"({"policy": "stratified", "remainder": "pad"})",
    R"({"policy": "dirichlet", "alpha": 0.5})",
    R"({"policy": "stripes", "warmup_epochs": 1, "interval_epochs": 1, "importance": {"ignore_epochs": 0}})",
    R"({"policy": "blocks", "warmup_epochs": 1, "interval_epochs": 1, "importance": {"aggregate": "last"},
        "rotate": true, "order": "asc"})",
    R"({"policy": "stratified", "warmup_epochs": 2, "interval_epochs": 2, "importance": {"aggregate": "var",
        "ignore_epochs": 0}})"};

Json json_of(const char* text) { return parse_json(text, "a row"); }

/// The trial whole, and once more in two pieces, which end alike.
void write_gang(Told& told, const std::string& name, const Json& patch, std::int64_t epochs = 2) {
  Fixture fixture{Json()};
  fixture.setup.trial = table_trial(fixture.folder.make("data"));
  fixture.setup.trial["batch_size"] = 4;
  fixture.setup.trial["epochs"] = epochs;
  fixture.setup.trial["log"] = {{"every", 2}};
  fixture.setup.trial.merge_patch(patch);
  Told own(fixture);
  tell(own, name, [&] {
    FakeHost host;
    const trial::PieceResult whole = fixture.run(fixture.order(0, epochs), host);
    own.result(whole);
    own.host(host, &whole);
    trial::PieceOrder second = fixture.order(1, epochs, "a3");
    second.resume = artifact(fixture.run(fixture.order(0, 1, "a2")), "last");
    CHECK(artifact(fixture.run(second), "last") == artifact(whole, "last"));
  });
  told.lines(own.text());
}

Json cluster_of(Json more) {
  more.update({{"op", "virtual"}, {"gradient_ms", 100}});
  return more;
}

}  // namespace

TEST_CASE("ranks of every method train as they did", "[train][golden]") {
  const Fixture fixture;
  Told told(fixture);
  for (const Gang& gang : kMethods) {
    Json patch = json_of(gang.more);
    patch["parallel"] = json_of(gang.parallel);
    if (patch.contains("cluster")) patch["cluster"] = cluster_of(patch["cluster"]);
    write_gang(told, fmt::format("{} {}", to_text(patch["parallel"]), gang.more), patch);
  }
  check_golden("gangs", told.text());
}

TEST_CASE("ranks are lost and come back as they did", "[train][golden]") {
  const Fixture fixture;
  Told told(fixture);
  for (const Gang& gang : kLosses) {
    const Json patch = {{"parallel", json_of(gang.parallel)}, {"cluster", cluster_of(json_of(gang.more))}};
    write_gang(told, fmt::format("{} {}", gang.parallel, to_text(patch["cluster"])), patch, 3);
  }
  check_golden("losses_of_ranks", told.text());
}

TEST_CASE("ranks have the examples that they had", "[train][golden]") {
  const Fixture fixture;
  Told told(fixture);
  for (const char* op : {"bsp", "asp"}) {
    for (const char* partition : kPartitions) {
      const Json patch = {{"parallel", {{"op", op}, {"ranks", 3}}}, {"data", {{"partition", json_of(partition)}}}};
      write_gang(told, fmt::format("{} {}", op, to_text(json_of(partition))), patch, 4);
    }
  }
  check_golden("partitions", told.text());
}

}  // namespace gangs_golden_test
