// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins of workers: those of the tree keep them, and each fault of tests/plugins/bad is found by
// the test of its name.
#include <algorithm>
#include <cstdlib>

#include "plugin/found.hpp"
#include "support/catch.hpp"
#include "train/contracts/run.hpp"
#include "util/error.hpp"

namespace dlrun {

namespace {

std::vector<trial::PluginVerdict> contract_verdicts(const trial::PluginTest& test) {
  std::vector<trial::PluginVerdict> verdicts;
  train::test_plugin(test, [&](const trial::PluginVerdict& verdict) {
    if (!verdict.has_begun) verdicts.push_back(verdict);
  });
  return verdicts;
}

/// The section of a study, with defaults.
Json whole_section(const std::string& kind, const std::string& name, const Json& keys) {
  Json section{{"op", name}};
  for (const plugin::Found& found : plugin::found()) {
    if (!found.fits() || found.manifest->name != name || plugin::name_of(found.manifest->kind) != kind) continue;
    for (const options::Key& key : found.manifest->keys) section[key.name] = key.fallback;
  }
  section.update(keys);
  return section;
}

/// Names of the tests that a plugin fails. @param keys  of its section that do not have their defaults
std::vector<std::string> failed_tests(const std::string& kind, const std::string& name,
                                      const Json& keys = Json::object()) {
  std::vector<std::string> failed;
  for (const trial::PluginVerdict& verdict :
       contract_verdicts({.kind = kind, .name = name, .section = whole_section(kind, name, keys)})) {
    UNSCOPED_INFO(verdict.test << ": " << verdict.detail);
    CHECK_FALSE(verdict.detail.empty());
    if (!verdict.has_passed) failed.push_back(verdict.test);
  }
  return failed;
}

/// A fault and the first test that must find it.
struct KnownFault {
  std::string key;
  Json value;
  std::string test;
};

void check_found(const std::string& kind, const KnownFault& fault) {
  INFO(fault.key << "=" << to_text(fault.value) << " must fail " << fault.test);
  const std::vector<std::string> failed = failed_tests(kind, "bad_" + kind, {{fault.key, fault.value}});
  CHECK(std::count(failed.begin(), failed.end(), fault.test) == 1);
}

}  // namespace

TEST_CASE("plugins of workers in the tree keep their contracts", "[plugins][contract]") {
  CHECK(failed_tests("layer", "selective_ssm").empty());
  CHECK(failed_tests("layer", "selective_ssm", {{"conv", 2}, {"expand", 3}, {"state", 5}}).empty());
  CHECK(failed_tests("loss", "focus_loss").empty());
  for (const double gamma : {0.0, 0.01, 0.5}) CHECK(failed_tests("loss", "focus_loss", {{"gamma", gamma}}).empty());
  CHECK(failed_tests("metric", "matthews").empty());
  CHECK(failed_tests("optimizer", "sign_momentum").empty());
}

TEST_CASE("a plugin that only could misbehave keeps its contract", "[plugins][contract]") {
  for (const char* kind : {"layer", "loss", "metric", "optimizer"}) {
    INFO(kind);
    CHECK(failed_tests(kind, std::string("bad_") + kind).empty());
  }
}

TEST_CASE("each fault of a layer is found by its test", "[plugins][contract]") {
  const auto fault = GENERATE(KnownFault{"does", "sizes", "sizes"}, KnownFault{"does", "throw", "sizes"},
                              KnownFault{"does", "infinity", "sizes"}, KnownFault{"spare", true, "tensors"},
                              KnownFault{"buffer", true, "tensors"}, KnownFault{"does", "detached", "gradients"},
                              KnownFault{"does", "frozen", "gradients"}, KnownFault{"does", "chance", "equal bits"},
                              KnownFault{"does", "start", "equal bits"}, KnownFault{"does", "remembers", "state"},
                              KnownFault{"does", "drops", "training and measuring"},
                              KnownFault{"does", "input", "nothing changed in place"},
                              KnownFault{"does", "weight", "nothing changed in place"});
  check_found("layer", fault);
}

TEST_CASE("each fault of a loss is found by its test", "[plugins][contract]") {
  const auto fault =
      GENERATE(KnownFault{"does", "infinity", "values"}, KnownFault{"does", "refuses", "values"},
               KnownFault{"does", "slope", "edges of its keys"}, KnownFault{"does", "detached", "gradients"},
               KnownFault{"does", "place", "order of the examples"}, KnownFault{"does", "mixes", "an example alone"},
               KnownFault{"does", "remembers", "equal bits"}, KnownFault{"does", "outputs", "nothing changed in place"},
               KnownFault{"does", "prediction", "predictions"});
  check_found("loss", fault);
}

TEST_CASE("each fault of an optimiser is found by its test", "[plugins][contract]") {
  const auto fault = GENERATE(KnownFault{"does", "ascends", "descent"}, KnownFault{"does", "chance", "equal bits"},
                              KnownFault{"does", "remembers", "state"}, KnownFault{"does", "place", "stretches"},
                              KnownFault{"does", "always", "lr 0"}, KnownFault{"does", "zeros", "padding"},
                              KnownFault{"does", "behind", "buffers"}, KnownFault{"does", "gradients", "buffers"});
  check_found("optimizer", fault);
}

TEST_CASE("each fault of a metric is found by its test", "[plugins][contract]") {
  const auto [does, test] = GENERATE(table<std::string, std::string>({{"infinity", "values"},
                                                                      {"remembers", "batches"},
                                                                      {"place", "order of the examples"},
                                                                      {"reversed", "direction"},
                                                                      {"constant", "direction"},
                                                                      {"place", "mean"},
                                                                      {"remembers", "equal bits"}}));
  INFO(does << " must fail " << test);
  ::setenv("BAD_METRIC", does.c_str(), 1);
  const std::vector<std::string> failed = failed_tests("metric", "bad_metric");
  ::unsetenv("BAD_METRIC");
  CHECK(std::count(failed.begin(), failed.end(), test) == 1);
}

TEST_CASE("tests of a plugin go on after one of which a process died", "[plugins][contract]") {
  const trial::PluginTest all{
      .kind = "loss", .name = "bad_loss", .section = whole_section("loss", "bad_loss", Json::object())};
  trial::PluginTest rest = all;
  rest.first = 2;
  const auto every = contract_verdicts(all), later = contract_verdicts(rest);
  REQUIRE(later.size() + 2 == every.size());
  CHECK(later.front().test == every[2].test);
}

TEST_CASE("a plugin of another kind, or of no name, has no tests by workers", "[plugins][contract]") {
  CHECK_THROWS_AS(contract_verdicts({.kind = "layer", .name = "focus_loss"}), Error);
  CHECK_THROWS_AS(contract_verdicts({.kind = "pruner", .name = "middle"}), Error);
}

}  // namespace dlrun
