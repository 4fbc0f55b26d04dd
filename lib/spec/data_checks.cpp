// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "dataset/content_cache.hpp"
#include "recipe/outputs.hpp"
#include "recipe/parallel.hpp"
#include "spec/gang_parts.hpp"
#include "spec/keys.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "trial/kinds.hpp"
#include "trial/runner.hpp"
#include "trial/test_functions.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;

namespace {

/// With the place in the data, where the message does not name the file itself.
std::string one_line(const dataset::DataError& fault) {
  const std::string out = fault.brief();
  const std::string file = fault.place().substr(0, fault.place().find_first_of(":,"));
  const bool names_file = file.empty() || out.find(file) != std::string::npos;
  return names_file ? out : fault.place() + ": " + out;
}

void report(const dataset::DataError& fault, Faults& faults) {
  const std::string path = join("trial.data", fault.path());
  fault.part() == Part::key ? faults.at_key(path, one_line(fault), fault.hint())
                            : faults.at(path, one_line(fault), fault.hint());
}

}  // namespace

std::optional<dataset::Schema> check_data(Json& trial, const fs::path& folder, const std::vector<fs::path>& elsewhere,
                                          std::uint64_t seed, Faults& faults) {
  if (faults.is_bad("trial.data") || !trial.contains("data") || !trial["data"].is_object()) {
    if (!faults.is_bad("trial.data"))
      faults.at("trial.data", "'trial.data' must be a map", "write data: {op: csv, path: …}");
    return std::nullopt;
  }
  std::vector<dataset::DataError> found;
  const Json data = dataset::normalised(trial["data"], &found);
  for (const dataset::DataError& fault : found) report(fault, faults);
  if (!found.empty()) return std::nullopt;
  std::vector<fs::path> folders{folder};
  folders.insert(folders.end(), elsewhere.begin(), elsewhere.end());
  try {
    dataset::require_cache_limit();
    const dataset::Schema schema = dataset::inspect(data, {folders}, seed);
    trial["data"] = dataset::located(data, {folders});
    return schema;
  } catch (const dataset::DataError& fault) {
    if (fault.kind() == ErrorKind::outside) throw;  // no fault of the file's
    report(fault, faults);
  } catch (const Error& fault) {
    if (fault.kind() == ErrorKind::outside) throw;
    faults.at("trial.data", fault.what(), fault.hint());
  }
  return std::nullopt;
}

namespace {

/// Every fold of a parameter; of others the ends, or the choices.
std::vector<Json> values_of(const Json& parameter) {
  if (parameter.contains("value")) return {parameter["value"]};
  if (parameter.contains("choices")) return {parameter["choices"].begin(), parameter["choices"].end()};
  if (parameter["at"] != "data.split.fold") return {parameter["low"], parameter["high"]};
  std::vector<Json> out;
  for (auto fold = parameter["low"].get<std::int64_t>(); fold <= parameter["high"].get<std::int64_t>(); ++fold)
    out.emplace_back(fold);
  return out;
}

bool is_in_data(const Json& parameter) {
  return parameter["at"].is_string() && parameter["at"].get_ref<const std::string&>().starts_with("data.");
}

}  // namespace

void check_data_places(const Json& trial, const Json& space, std::uint64_t seed, Faults& faults) {
  for (const Json& parameter : space) {
    if (!is_in_data(parameter) || faults.is_bad(path_of(parameter))) continue;
    const std::string at = parameter["at"].get<std::string>();
    for (const Json& value : values_of(parameter)) {
      try {
        (void)dataset::inspect(trial::configured(trial, {{at, value}})["data"], {}, seed);
      } catch (const dataset::DataError& fault) {
        return faults.at(path_of(parameter), fmt::format("with {} = {}: {}", at, to_text(value), one_line(fault)),
                         fault.hint());
      }
    }
  }
}

namespace {

/// Whether every trial of the study drops gradients, and so reports how many.
bool always_drops(const Json& trial, const Json& space) {
  const std::vector<Json> counts = Parts(trial, space).values("drop_slowest"),
                          methods = Parts(trial, space).values("op");
  return std::ranges::all_of(counts, [](const Json& count) { return count.is_number_integer() && count > 0; }) &&
         std::ranges::all_of(methods, [](const Json& op) { return op == parallel::Bsp::kName; });
}

}  // namespace

std::vector<std::string> metrics_of(const Json& trial, const Json& space,
                                    const std::optional<dataset::Schema>& schema) {
  if (trial["kind"] == "function") {
    const Json& function = trial["function"];
    return function.is_object() ? trial::metric_names(function["op"].get<std::string>()) : std::vector<std::string>();
  }
  if (trial["kind"] == "asked" || trial::runs_program(trial["kind"].get<std::string>())) return {};
  std::vector<std::string> out;
  if (!trial.value("parallel", Json()).is_null()) out = {"cluster.gbytes"};
  if (!out.empty() && always_drops(trial, space)) out.push_back("cluster.dropped");
  if (!out.empty() && trial["cluster"].is_object() && trial["cluster"].value("op", Json()) == "virtual")
    out.push_back("cluster.seconds");
  if (!out.empty() && recipe::loses_ranks(trial["cluster"])) out.push_back("cluster.losses");
  if (!trial.value("placement", Json()).is_null()) out.push_back("placement.seconds");
  for (const char* split : {"val", "train"}) {
    const bool is_val = split == std::string("val");
    if (is_val && schema && schema->val == 0) continue;
    if (recipe::has_outputs(trial)) out.push_back(join(split, "loss"));
    for (const recipe::OutputSection& output : recipe::outputs_of(trial)) {
      if (is_val && output.is_auxiliary) continue;
      const std::string begin = join(split, output.name);
      out.push_back(join(begin, "loss"));
      for (const Json& name : output.metrics.is_array() ? output.metrics : Json::array()) {
        if (name.is_string()) out.push_back(join(begin, name.get<std::string>()));
      }
    }
  }
  return out;
}

}  // namespace dlrun::spec
