// SPDX-License-Identifier: Apache-2.0
// Formats of plugins: which arrays are asked for, how they are named, when they are read again.
#include <unistd.h>

#include <cstdlib>

#include "dataset/content_cache.hpp"
#include "dataset/fresh.hpp"
#include "dataset/plugin_formats.hpp"
#include "readings.hpp"
#include "support/catch.hpp"
#include "util/sha256.hpp"

namespace plugin_arrays_test {

using namespace readings_test;

namespace {

std::string text_of(const Dataset& data) {
  const Schema& schema = data.schema;
  std::string text = fmt::format("  classes {}, targets {}, rows {} {} {}\n", schema.classes, schema.targets,
                                 data.train.size(), data.val.size(), data.test.size());
  for (std::size_t i = 0; i < data.inputs.size(); ++i)
    text += fmt::format("  input {} {}: {:g} … {:g}\n", schema.inputs[i].name, to_text(Json(schema.inputs[i].shape)),
                        data.inputs[i].number(0, 0), data.inputs[i].number(data.inputs[i].examples - 1, 0));
  for (const Target& target : schema.several)
    text += fmt::format("  target {}: {} classes\n", target.name, target.classes);
  for (const std::string& name : schema.class_names) text += "  class " + name + "\n";
  return text;
}

/// Names of a section's arrays, and all numbers that go with them.
const std::vector<Given> kArrays{{"inputs/x", "F32", {12, 2}, counted(24)}, {"targets/", "I64", {12}, labels(12, 3)}};

Json named_section(const Place& place, const Json& more = Json::object()) {
  Json data{{"op", "named_arrays"}, {"path", place.path("it")}, {"inputs", "/images"}, {"targets", "/labels"}};
  data.update(more);
  return data;
}

Json whole_section(const Place& place, const Json& more = Json::object()) {
  Json data{{"op", "whole_arrays"}, {"path", place.path("it")}};
  data.update(more);
  return data;
}

Dataset loaded(const Json& data) { return load(located(normalised(data), {}), {}, 7); }

std::string outcome(const Place& place, Json data) {
  data["cache"] = false;  // a copy in the cache takes time
  std::string text;
  const std::string fault = fault_of(place, [&] { text = text_of(loaded(data)); });
  return text.empty() ? "  " + fault : text;
}

/// Names that the last reading of a file was asked for.
std::string names_asked(const Place& place) {
  const std::string log = place.log_of("it"), last = log.substr(log.rfind('\n', log.size() - 2) + 1);
  return to_text(Json::parse(last)["request"]["names"]);
}

}  // namespace

TEST_CASE("arrays that a plugin gives become a data set, or a fault", "[readings][plugin_arrays]") {
  std::string text;
  const auto add = [&](const char* about, const std::vector<Given>& arrays, const Json& texts = Json::object()) {
    const Place place;
    place.write("it", archive(arrays, texts));
    text += std::string("whole, ") + about + "\n" + outcome(place, whole_section(place));
  };
  const Given x = kArrays[0], y = kArrays[1];
  add("one of each", {{"inputs/", "F32", {12, 2}, counted(24)}, y});
  add("a named input", kArrays);
  add("two inputs", {{"inputs/a", "F32", {12, 2}, counted(24)}, {"inputs/b", "F32", {12, 3}, counted(36)}, y});
  add("an unnamed input beside another",
      {{"inputs/", "F32", {12, 2}, counted(24)}, {"inputs/b", "F32", {12}, counted(12)}, y});
  add("two targets", {x, {"targets/a", "I64", {12}, labels(12, 2)}, {"targets/b", "F32", {12}, counted(12)}});
  add("a test split",
      {x, y, {"test_inputs/x", "F32", {3, 2}, counted(6, 50)}, {"test_targets/", "I64", {3}, labels(3, 3)}});
  add("texts", {x, y}, {{"targets/", {"cat", "dog", "eel"}}});
  add("texts of an input", {{"inputs/x", "I64", {12, 2}, labels(24, 2)}, y}, {{"inputs/x", {"a", "b"}}});
  add("no targets", {x});
  add("test inputs alone", {x, y, {"test_inputs/x", "F32", {3, 2}, counted(6, 50)}});
  add("test targets alone", {x, y, {"test_targets/", "I64", {3}, labels(3, 3)}});
  add("a test split of other names",
      {x, y, {"test_inputs/z", "F32", {3, 2}, counted(6)}, {"test_targets/", "I64", {3}, labels(3, 3)}});
  add("too few targets", {x, {"targets/", "I64", {9}, labels(9, 3)}});
  add("an unknown part", {x, y, {"more/x", "F32", {1}, {1}}});
  CHECK(text == support::golden(fs::path(DLRUN_READINGS) / "whole.txt", text));
}

TEST_CASE("arrays of names are asked for and found by them", "[readings][plugin_arrays]") {
  std::string text;
  const auto add = [&](const char* about, const Json& section, const std::vector<Given>& arrays = kArrays) {
    const Place place;
    place.write("it", archive(arrays));
    text += std::string("named, ") + about + "\n" + outcome(place, named_section(place, section));
    if (place.readings_of("it") > 0) text += "  asked for " + names_asked(place) + "\n";
  };
  add("one of each", Json::object());
  add("two inputs", {{"inputs", {{"a", "/a"}, {"b", "/b"}}}},
      {{"inputs/a", "F32", {12, 2}, counted(24)}, {"inputs/b", "F32", {12, 1}, counted(12)}, kArrays[1]});
  add("a test split", {{"test_inputs", "/more"}, {"test_targets", "/most"}},
      {kArrays[0],
       kArrays[1],
       {"test_inputs/x", "F32", {3, 2}, counted(6)},
       {"test_targets/", "I64", {3}, labels(3, 3)}});
  add("one that is missing", {{"inputs", {{"x", "/x"}, {"z", "/z"}}}});
  add("too few targets", Json::object(), {kArrays[0], {"targets/", "I64", {9}, labels(9, 3)}});
  add("a fault", {{"does", "faults"}});
  add("a change", {{"does", "changes its file"}});
  add("regression", {{"task", "regression"}});
  CHECK(text == support::golden(fs::path(DLRUN_READINGS) / "named.txt", text));
}

TEST_CASE("sections of plugins have the keys that the plugin's kind needs", "[readings][plugin_arrays]") {
  install();
  std::string text;
  for (const options::Variant& kind : data_kinds()) {
    if (kind.name != "named_arrays" && kind.name != "whole_arrays") continue;
    text += kind.name + ": " + kind.text + "\n";
    for (const options::Key& key : kind.table)
      text += fmt::format("  {}{}{}: {}\n", key.name, key.required ? ", required" : "", key.is_file ? ", a file" : "",
                          key.text);
  }
  CHECK(text == support::golden(fs::path(DLRUN_READINGS) / "keys.txt", text));
}

TEST_CASE("a reading is kept until its file, its options or its names change", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  loaded(named_section(place));
  loaded(named_section(place, {{"split", {{"train", 0.5}, {"val", 0.25}, {"test", 0.25}}}}));
  CHECK(place.readings_of("it") == 1);
  loaded(named_section(place, {{"does", "something"}}));
  CHECK(place.readings_of("it") == 2);
  loaded(named_section(place, {{"inputs", "/pictures"}}));
  CHECK(place.readings_of("it") == 3);
  loaded(named_section(place, {{"cache", false}}));
  loaded(named_section(place, {{"cache", false}}));
  CHECK(place.readings_of("it") == 5);
  place.write("it", archive({kArrays[0], {"targets/", "I64", {12}, labels(12, 2)}}));
  CHECK(loaded(named_section(place)).schema.classes == 2);
  CHECK(place.readings_of("it") == 6);
}

TEST_CASE("a reading is kept under a hash of all that decides it", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  place.write("more", "more");
  loaded(named_section(place, {{"more", place.path("more")}}));
  const Json names{{"inputs", {{"x", "/images"}}},
                   {"targets", {{"", "/labels"}}},
                   {"test_inputs", Json::object()},
                   {"test_targets", Json::object()}};
  const Json hashes{map_file(place.path("it"), "").sha256, map_file(place.path("more"), "").sha256};
  const plugin::Found* found = plugin::find(plugin::Kind::data, "named_arrays");
  const Json key{1, plugin::hash_of(*found), {{"does", "nothing"}}, names, hashes};
  CHECK(ContentCache("readings", Sha256::hex_of(to_text(key)), true).find()->text() == read_file(place.path("it")));
}

TEST_CASE("the hash of a data set counts every file, and not its place", "[readings][plugin_arrays]") {
  const Place one, other;
  for (const Place* place : {&one, &other}) {
    place->write("it", archive(kArrays));
    place->write("more", "more");
  }
  const auto hash = [](const Place& place) {
    return loaded(named_section(place, {{"more", place.path("more")}})).schema.sha256;
  };
  CHECK(hash(one) == hash(other));
  other.write("more", "other");
  CHECK(hash(one) != hash(other));
  CHECK(hash(one) != loaded(named_section(one)).schema.sha256);
}

TEST_CASE("a folder counts by names and contents of its files", "[readings][plugin_arrays]") {
  const Place place;
  const auto hash = [&] { return loaded(whole_section(place, {{"path", place.path("f")}})).schema.sha256; };
  place.write("f/arrays", archive(kArrays));
  place.write("f/deep/b", "b");
  place.write("f/empty", "");
  const std::string first = hash();
  CHECK(hash() == first);
  CHECK(place.readings_of("f") == 1);
  place.write("f/deep/b", "c");
  const std::string second = hash();
  CHECK(second != first);
  fs::rename(place.path("f/deep/b"), place.path("f/deep/c"));
  CHECK(hash() != second);
  fs::rename(place.path("f/deep/c"), place.path("f/deep/b"));
  CHECK(hash() == second);
  place.write("f/empty", "x");
  const std::string last = hash();
  CHECK(last != second);
  fs::rename(place.path("f"), place.path("g"));
  CHECK(loaded(whole_section(place, {{"path", place.path("g")}})).schema.sha256 == last);
}

TEST_CASE("files of a folder count in the order of their names", "[readings][plugin_arrays]") {
  const Place place;
  std::vector<std::string> names{"arrays"};
  for (const char* name : {"q", "b", "z", "m", "deep/y", "deep/a", "k", "c", "x", "e"}) names.push_back(name);
  for (const std::string& name : names) place.write("f/" + name, name == "arrays" ? archive(kArrays) : name);
  std::sort(names.begin(), names.end());
  Json files = Json::array();
  for (const std::string& name : names) files.push_back({name, map_file(place.path("f/" + name), "").sha256});
  loaded(whole_section(place, {{"path", place.path("f")}}));
  const Json none = Json::object(),
             nothing{{"inputs", none}, {"targets", none}, {"test_inputs", none}, {"test_targets", none}};
  const plugin::Found* found = plugin::find(plugin::Kind::data, "whole_arrays");
  const Json key{1, plugin::hash_of(*found), {{"does", "nothing"}}, nothing, {Sha256::hex_of(to_text(files))}};
  CHECK(ContentCache("readings", Sha256::hex_of(to_text(key)), true).find());
}

TEST_CASE("a reading lies beside the cache, or where temporary files do", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  ::setenv("TMPDIR", "/proc", 1);
  const std::string kept = fault_of(place, [&] { loaded(named_section(place)); });
  const std::string unkept = fault_of(place, [&] { loaded(named_section(place, {{"cache", false}})); });
  ::unsetenv("TMPDIR");
  CHECK(kept == "no fault\n");
  CHECK_THAT(unkept, Contains("cannot write into '/proc'"));
}

TEST_CASE("a folder is refused where a plugin reads files, and where it is empty", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  fs::create_directories(place.path("f/deep"));
  std::string text = outcome(place, named_section(place, {{"path", place.path("f")}}));
  text += outcome(place, named_section(place, {{"more", place.path("f")}}));
  text += outcome(place, whole_section(place, {{"path", place.path("f")}}));
  text += outcome(place, whole_section(place, {{"more", place.path("f")}}));
  CHECK(text == support::golden(fs::path(DLRUN_READINGS) / "folders.txt", text));
}

TEST_CASE("new files are asked for what is needed of them", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive({kArrays[0],
                             kArrays[1],
                             {"test_inputs/x", "F32", {3, 2}, counted(6)},
                             {"test_targets/", "I64", {3}, labels(3, 3)}}));
  place.write("new", archive({{"inputs/x", "F32", {4, 2}, counted(8)}, {"targets/", "I64", {4}, labels(4, 2)}}));
  const Json data = located(normalised(named_section(place, {{"test_inputs", "/t"}, {"test_targets", "/u"}})), {});
  const auto fresh = [&](bool needs_targets) {
    return load_fresh(data, {.files = {{"path", place.path("new")}}, .needs_targets = needs_targets}, 7);
  };
  CHECK(fresh(true).dataset.targets.indices() == std::vector<std::int64_t>{0, 1, 0, 1});
  CHECK(fresh(false).dataset.targets.indices() == std::vector<std::int64_t>{0, 0, 0, 0});
  const std::string log = place.log_of("new");
  REQUIRE(place.readings_of("new") == 2);
  CHECK(Json::parse(log.substr(0, log.find('\n')))["request"]["names"] == Json{{"inputs", {{"x", "/images"}}},
                                                                               {"targets", {{"", "/labels"}}},
                                                                               {"test_inputs", Json::object()},
                                                                               {"test_targets", Json::object()}});
  CHECK(Json::parse(log.substr(log.find('\n')))["request"]["names"]["targets"] == Json::object());
}

TEST_CASE("files with new examples are those of the section", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  place.write("more", "more");
  std::string text;
  for (const Json& more : {Json::object(), Json{{"more", place.path("more")}}}) {
    for (const FreshKey& key : fresh_keys(located(normalised(named_section(place, more)), {})))
      text += key.name + ": " + key.text + (key.is_target ? ", a target; " : "; ");
  }
  CHECK(text ==
        "path: a file with arrays of the same names; "
        "path: a file with arrays of the same names; more: as the section's; ");
}

TEST_CASE("faults of new files are told at the data", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  fs::create_directories(place.path("f"));
  const Json data = located(normalised(named_section(place)), {});
  std::string text;
  const auto add = [&](const char* about, const std::vector<Given>& arrays) {
    place.write("new", archive(arrays));
    text += std::string(about) + ": " + fault_of(place, [&] {
              load_fresh(data, {.files = {{"path", place.path("new")}}}, 7);
            });
  };
  add("no input", {kArrays[1]});
  add("no target", {kArrays[0]});
  add("another shape", {{"inputs/x", "F32", {12, 3}, counted(36)}, kArrays[1]});
  text += "a folder: " + fault_of(place, [&] { load_fresh(data, {.files = {{"path", place.path("f")}}}, 7); });
  CHECK(text == support::golden(fs::path(DLRUN_READINGS) / "fresh_faults.txt", text));
}

TEST_CASE("the reading of a section names files, options and arrays", "[readings][plugin_arrays]") {
  const Place place;
  place.write("it", archive(kArrays));
  place.write("more", "more");
  const Json data = normalised(named_section(place, {{"path", "it"}, {"more", "more"}, {"test_inputs", "/t"}}));
  const Reading reading = reading_of(data, place.folder.where());
  CHECK(reading.plugin->manifest->name == "named_arrays");
  CHECK(reading.options == Json{{"does", "nothing"}});
  CHECK(reading.files == std::map<std::string, fs::path>{{"path", place.path("it")}, {"more", place.path("more")}});
  CHECK(reading_of(data, {{fs::relative(place.folder.path())}}).files.at("path").is_absolute());
  CHECK(reading.names["test_inputs"] == Json{{"x", "/t"}});
  CHECK(reading.names["inputs"] == Json{{"x", "/images"}});
}

}  // namespace plugin_arrays_test
