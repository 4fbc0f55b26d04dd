// SPDX-License-Identifier: Apache-2.0
// Data sections as numbers: every case of tests/golden/datasets with the first examples, the rows of each split, what
// was measured on the training split, and new examples.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/prepared.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "util/error.hpp"

namespace golden_test {

using namespace dlrun;
using namespace dlrun::dataset;
namespace fs = std::filesystem;

namespace {

const fs::path kGolden = DLRUN_SOURCE_DIR "/tests/golden";
constexpr std::size_t kShown = 12;

template <class Values>
std::string first(const Values& values) {
  const std::vector shown(values.begin(), values.begin() + std::ptrdiff_t(std::min(values.size(), kShown)));
  return fmt::format("{} of {}", shown, values.size());
}

/// The first numbers of the first and of the last example, and the sum of all.
std::string text_of(const Array& array) {
  if (array.examples == 0) return "nothing\n";
  std::vector<float> begin, end;
  double sum = 0;
  for (std::int64_t e = 0; e < array.examples; ++e) {
    for (std::int64_t i = 0; i < array.width; ++i) sum += double(array.number(e, i));
  }
  for (std::int64_t i = 0; i < std::min<std::int64_t>(array.width, kShown); ++i) {
    begin.push_back(array.number(0, i));
    end.push_back(array.number(array.examples - 1, i));
  }
  return fmt::format("[{}, {}] {} … {} sum {:.9g}\n", array.examples, array.width, begin, end, sum);
}

std::string text_of(const Dataset& data) {
  const Schema& s = data.schema;
  std::string out = fmt::format("classes {} {} targets {} {}\n", s.classes, s.class_names, s.targets, s.target_shape);
  for (std::size_t k = 0; k < data.inputs.size(); ++k)
    out += fmt::format("input {} {} {}: {}", s.inputs[k].name, s.inputs[k].shape, s.inputs[k].vocabulary,
                       text_of(data.inputs[k]));
  out += "target " + text_of(data.targets);
  for (std::size_t k = 0; k < data.several.size(); ++k)
    out += fmt::format("target {} {}: {}", s.several[k].name, s.several[k].classes, text_of(data.several[k]));
  return out + fmt::format("train {}\nval {}\ntest {}\nclusters {}\n", first(data.train), first(data.val),
                           first(data.test), first(data.val_clusters));
}

std::string text_of(const Fresh& fresh) {
  std::string out = "new " + text_of(fresh.dataset);
  for (const IdColumn& id : fresh.ids) out += fmt::format("id {} {} {}\n", id.name, id.cells, id.is_number);
  for (const auto& names : fresh.value_names) out += fmt::format("values {}\n", names);
  for (const ValueScale& scale : fresh.value_scale) out += fmt::format("scale {} shift {}\n", scale.scale, scale.shift);
  return out;
}

/// The text that `act` gives, or its fault.
template <class Act>
std::string outcome(Act act) {
  try {
    return act();
  } catch (const DataError& fault) {
    return fmt::format("fault {}: {} | {} | {}\n", fault.path(), fault.what(), fault.hint(), fault.place());
  } catch (const Error& fault) {
    return fmt::format("error {} | {}\n", fault.what(), fault.hint());
  }
}

FreshOptions options_of(const Json& one, const fs::path& place) {
  FreshOptions options{.needs_targets = one["needs_targets"], .unseen = one["unseen"], .id = one["id"]};
  for (const auto& [key, file] : one["fresh"].items())
    options.files[key] = (place / file.get<std::string>()).lexically_normal();
  return options;
}

std::string text_of(const Json& one, const fs::path& place) {
  constexpr std::uint64_t kSeed = 7;
  const Json data = located(normalised(one["data"]), {{place}});
  std::string out = text_of(load(data, {}, kSeed)) + prepared(data, kSeed).dump() + "\n";
  if (!one["fresh"].empty()) out += outcome([&] { return text_of(load_fresh(data, options_of(one, place), kSeed)); });
  return out;
}

}  // namespace

TEST_CASE("data sections give the numbers that stand in their golden file", "[dataset][golden]") {
  const DataFolder folder;  // whose name is short: messages cut long ones
  for (const char* name : {"datasets", "arrays"}) fs::copy(kGolden / name, folder.path() / name);
  const fs::path place = folder.path() / "datasets", file = kGolden / "datasets/expected.txt";
  std::string all;
  for (const Json& one : parse_json(read_file(place / "cases.json"), "cases"))
    all += fmt::format("# {}\n{}\n", one["name"].get<std::string>(), outcome([&] { return text_of(one, place); }));
  support::replace_all(all, folder.path().string(), "HERE");
  const std::string expected = support::golden(file, all);
  const auto differs = std::mismatch(all.begin(), all.end(), expected.begin(), expected.end()).first;
  const std::size_t at = std::size_t(differs - all.begin());
  CHECK(all.substr(at, 200) == expected.substr(std::min(at, expected.size()), 200));
}

}  // namespace golden_test
