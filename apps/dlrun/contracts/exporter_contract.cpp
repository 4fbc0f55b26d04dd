// SPDX-License-Identifier: Apache-2.0
// The contract of exporters, as include/dlrun/plugin/exporter.hpp states it.
#include <fmt/format.h>

#include <limits>
#include <map>

#include "contracts/contract.hpp"
#include "guest/guest_exporter.hpp"
#include "util/files.hpp"
#include "util/random.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCreated = 1'700'000'000'000;     ///< milliseconds since 1970
const std::string kOdd = "a/../b,\"c\"\n=1+1 \xC3\xA9";  ///< a name that a person may write

struct Sample {
  std::string name;
  int trials = 0;
  bool is_odd = false;  ///< names and values that are hard to write
  std::size_t goals = 1;
};

Json head_of(const Sample& sample) {
  Json goals = Json::array({{"loss", false}});
  for (std::size_t i = 1; i < sample.goals; ++i) goals.push_back({"cost", true});
  const Json choices = Json::array({1, "a", true, kOdd});
  const Json lr{{"name", sample.is_odd ? kOdd : "lr"},
                {"place", "optimizer.lr"},
                {"type", "float"},
                {"low", 1e-4},
                {"high", 1.0},
                {"choices", Json::array()}};
  const Json kind{{"name", "kind"}, {"place", "kind"}, {"type", "categorical"},
                  {"low", 0.0},     {"high", 0.0},     {"choices", choices}};
  return {{"name", sample.name}, {"is_finished", sample.trials > 0},      {"created", kCreated},
          {"goals", goals},      {"parameters", Json::array({lr, kind})}, {"metrics", {"cost", "loss"}}};
}

/// Some trials failed, some wait, and some have values that are not finite.
Json trial_of(const Sample& sample, int number) {
  RandomStream random(3, {"exporter", std::to_string(number)});
  const bool has_failed = number % 5 == 4, is_waiting = number % 7 == 6;
  Json objectives = Json::array(), points = Json::array();
  for (std::size_t i = 0; i < sample.goals; ++i)
    objectives.push_back(has_failed || is_waiting ? Json() : Json(random.uniform()));
  for (int epoch = 1; epoch <= 3 && !is_waiting; ++epoch) {
    const double odd = epoch == 2 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    points.push_back({1, 0, 0, epoch, sample.is_odd ? odd : random.uniform(), kCreated + 1000 * epoch});
  }
  Json params = Json::array({{sample.is_odd ? kOdd : "lr", random.uniform()}});
  if (number % 2 == 0) params.push_back({"kind", sample.is_odd ? Json(kOdd) : Json(1)});
  const Json last = points.empty() ? Json() : points.back()[4];
  return {{"number", number},
          {"state", is_waiting   ? "waiting"
                    : has_failed ? "failed"
                                 : "completed"},
          {"objectives", objectives},
          {"params", params},
          {"metrics", {nullptr, last}},
          {"points", points},
          {"epochs", points.size()},
          {"attempts", is_waiting ? 0 : 1},
          {"seconds", 0.5},
          {"cause", has_failed ? "crash" : ""},
          {"message", has_failed ? kOdd : ""},
          {"started", is_waiting ? Json() : Json(kCreated)},
          {"finished", is_waiting ? Json() : Json(kCreated + 5000)}};
}

/// Contents of a folder by path.
using Files = std::map<std::string, std::string>;

Files files_in(const fs::path& folder) {
  Files files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) files[entry.path().lexically_relative(folder).string()] = read_file(entry.path());
  }
  return files;
}

Files written(const Tested& tested, const std::vector<Sample>& samples, const fs::path& folder) {
  fs::create_directory(folder);
  write_file(folder / ".dlrun-export", "mark\n", {.durable = false, .mode = 0644});
  guest::GuestExporter exporter(tested.plugin.manifest->name, tested.section);
  for (const Sample& sample : samples) {
    exporter.begin(head_of(sample));
    for (int i = 0; i < sample.trials; ++i) exporter.add_trial(trial_of(sample, i));
    exporter.write(folder);
  }
  exporter.finish(folder);
  return files_in(folder);
}

/// Two processes write the same, and only into their folder.
std::string check_files(const Tested& tested, const std::vector<Sample>& samples) {
  const TemporaryFolder around("dlrun-export");
  Files first = written(tested, samples, around.path() / "first");
  const Files second = written(tested, samples, around.path() / "other");
  for (const fs::path& entry : entries_of(around.path())) {
    if (entry.filename() != "first" && entry.filename() != "other")
      throw Broken{fmt::format("it wrote '{}' outside of its folder", entry.filename().string())};
  }
  if (first.erase(".dlrun-export") == 0) throw Broken{"it removed the file .dlrun-export"};
  if (first.empty()) throw Broken{"it wrote no file"};
  for (const auto& [name, bytes] : first) {
    const auto same = second.find(name);
    if (same == second.end() || same->second != bytes)
      throw Broken{fmt::format("two exports of the same study differ in '{}'", name)};
  }
  return fmt::format("{} files, the same in a second process", first.size());
}

}  // namespace

std::vector<Check> exporter_checks(const Tested& tested) {
  std::vector<Check> checks;
  const auto add = [&](const char* name, const std::vector<Sample>& samples) {
    checks.push_back({name, [=, &tested] { return check_files(tested, samples); }});
  };
  add("a study", {{"first", 20}});
  add("a study without trials", {{"first", 0}});
  add("odd names, values that are not finite", {{"first", 20, true}});
  add("two objectives", {{"first", 20, false, 2}});
  add("two studies", {{"first", 20}, {"second", 7, true}});
  add("20000 trials", {{"first", 20'000}});
  return checks;
}

}  // namespace dlrun::cli
