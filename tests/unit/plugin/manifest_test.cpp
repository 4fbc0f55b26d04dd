// SPDX-License-Identifier: Apache-2.0
#include "plugin/manifest.hpp"

#include "sample.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace manifest_test {

using namespace dlrun;
using plugin_test::put;

namespace {

plugin::Manifest manifest_of(const std::string& text) {
  const support::TempFolder folder;
  put(folder / "plugin.yaml", text);
  return plugin::read_manifest((folder / "plugin.yaml").string());
}

const std::string kHead = "plugin: it\nkind: sampler\nversion: 1.0.0\n";

}  // namespace

TEST_CASE("a manifest says name, kind, version and the keys of a section", "[plugin][manifest]") {
  const auto it = manifest_of(kHead +
                              "about: one line\nkeys:\n  - {name: step, type: real, text: how far, above: 0, "
                              "to: 2, default: 0.5}\n  - {name: mode, type: choice, text: how, choices: [a, b]}\n");
  CHECK(it.name == "it");
  CHECK(it.kind == plugin::Kind::sampler);
  CHECK(it.about == "one line");
  REQUIRE(it.keys.size() == 2);
  CHECK(it.keys[0].is_above);
  CHECK(it.keys[0].high == 2);
  CHECK(it.keys[0].fallback == 0.5);
  CHECK(it.keys[1].choices == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a single number is a list of one, in integers too", "[plugin][manifest]") {
  const auto it = manifest_of(kHead +
                              "about: a\nkeys:\n  - {name: sizes, type: integers, text: t, default: 3}\n"
                              "  - {name: steps, type: numbers, text: t, default: [1, 0.5]}\n");
  REQUIRE(it.keys.size() == 2);
  CHECK(it.keys[0].fallback == 3);
  CHECK(it.keys[1].fallback.dump() == "[1.0,0.5]");
}

TEST_CASE("the default of a time is seconds, as in a section", "[plugin][manifest]") {
  const std::string keys = "about: a\nkeys: [{name: wait, type: duration, text: t, to: 600, default: ";
  CHECK(manifest_of(kHead + keys + "1m30s}]\n").keys.at(0).fallback == 90.0);
  CHECK(manifest_of(kHead + keys + "5}]\n").keys.at(0).fallback == 5.0);
  CHECK_THROWS_WITH(manifest_of(kHead + keys + "1h}]\n"), Contains("'wait' must be a time of at most 600"));
  CHECK_THROWS_WITH(manifest_of(kHead + keys + "soon}]\n"), Contains("must be a time"));
}

TEST_CASE("a manifest survives its way through the note", "[plugin][manifest]") {
  const auto it =
      manifest_of(kHead + "about: a\nkeys: [{name: file, type: text, text: t, file: true, required: true}]\n");
  const auto again = plugin::manifest_from_json(Json::parse(it.whole.dump()));
  CHECK(again.whole == it.whole);
  REQUIRE(again.keys.size() == 1);
  CHECK(again.keys[0].is_file);
  CHECK(again.keys[0].required);
}

TEST_CASE("the source of a note holds any text", "[plugin][manifest]") {
  // The text ends as the raw literal would.
  const auto it = manifest_of(kHead + "about: 'in \"quotes\" and )dlrun'\n");
  const std::string source = plugin::note_source(it);
  const std::size_t begin = source.find("R\"dlrun(") + 8, end = source.find(")dlrun\"", begin);
  REQUIRE(source.substr(end) == ")dlrun\")\n");
  CHECK(Json::parse(source.substr(begin, end - begin)) == it.whole);
}

TEST_CASE("libtorch is compiled in for layers, losses, optimisers and metrics alone", "[plugin][manifest]") {
  for (const auto kind : plugin::kKinds) {
    const std::string name = plugin::name_of(kind);
    INFO(name);
    const bool expected = name == "layer" || name == "loss" || name == "optimizer" || name == "metric";
    CHECK(plugin::has_torch(kind) == expected);
    CHECK(plugin::is_of_driver(kind) ==
          (name == "sampler" || name == "pruner" || name == "executor" || name == "exporter"));
  }
}

TEST_CASE("a note with anything else in place of a manifest is refused", "[plugin][manifest]") {
  const Json right = manifest_of(kHead + "about: a\n").whole;
  for (const auto& [key, wrong] : std::vector<std::pair<std::string, Json>>{{"plugin", 5},
                                                                            {"plugin", "../it"},
                                                                            {"kind", "oracle"},
                                                                            {"keys", {{{"type", "no"}}}},
                                                                            {"keys", 3},
                                                                            {"version", {}}}) {
    INFO(key << " " << wrong.dump());
    Json damaged = right;
    damaged[key] = wrong;
    CHECK_THROWS_AS(plugin::manifest_from_json(damaged), Error);
  }
  CHECK_THROWS_AS(plugin::manifest_from_json(Json::array()), Error);
}

TEST_CASE("keys that dlrun adds to a section cannot be a plugin's", "[plugin][manifest]") {
  const auto with_key = [](const std::string& kind, const std::string& key) {
    return manifest_of("plugin: it\nversion: 1.0.0\nabout: a\nkind: " + kind + "\nkeys: [{name: " + key +
                       ", type: text, text: t}]\n");
  };
  for (const char* key : {"jobs", "idle", "poll", "listen", "scratch"}) {
    CHECK_THROWS_AS(with_key("executor", key), Error);
    CHECK_NOTHROW(with_key("sampler", key));
  }
  CHECK_THROWS_AS(with_key("pruner", "interval"), Error);
  CHECK_NOTHROW(with_key("executor", "interval"));
}

}  // namespace manifest_test
