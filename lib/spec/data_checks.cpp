// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "spec/keys.hpp"
#include "spec/trial_section.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;

namespace {

bool is_about_numbers(const std::string& loss) { return loss != "cross_entropy"; }

/// With the place in the data, where the message does not name the file itself.
std::string one_line(const dataset::DataError& fault) {
  std::string out = fault.what();
  for (std::size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at)) {
    const std::size_t end = std::min(out.find_first_not_of(" \n", at), out.size());
    const bool is_first = std::string_view(out).substr(0, at).ends_with("looked for");
    out.replace(at, end - at, is_first ? " " : ", ");
  }
  const std::string file = fault.place().substr(0, fault.place().find_first_of(":,"));
  const bool names_file = file.empty() || out.find(file) != std::string::npos;
  return names_file ? out : fault.place() + ": " + out;
}

void report(const dataset::DataError& fault, Faults& faults) {
  const std::string path = join("trial.data", fault.path());
  const std::string message = one_line(fault);
  const bool is_unknown_key = message.find("has no '") != std::string::npos;
  is_unknown_key ? faults.at_key(path, message, fault.hint()) : faults.at(path, message, fault.hint());
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
    const dataset::Schema schema = dataset::inspect(data, {folders}, seed);
    trial["data"] = dataset::located(data, {folders});
    return schema;
  } catch (const dataset::DataError& fault) {
    report(fault, faults);
  } catch (const Error& fault) {
    faults.at("trial.data", fault.what(), fault.hint());
  }
  return std::nullopt;
}

void fill_by_data(Json& trial, const dataset::Schema& schema, Faults& faults) {
  const bool is_classes = schema.classes > 0;
  if (trial["loss"].is_null() && !faults.is_bad("trial.loss")) {
    const std::string op = is_classes ? "cross_entropy" : "mse";
    trial["loss"] = {{"op", op}};
    if (is_classes) trial["loss"]["label_smoothing"] = 0.0;
  } else if (trial["loss"].is_object()) {
    const std::string op = trial["loss"]["op"].get<std::string>();
    if (is_about_numbers(op) == is_classes) {
      faults.at("trial.loss",
                fmt::format("{} is a loss for {}, but the data has {}", op, is_classes ? "numbers" : "classes",
                            is_classes ? fmt::format("{} classes", schema.classes) : "numbers as target"),
                is_classes ? "write loss: cross_entropy" : "write loss: mse, mae or huber");
    }
  }
  if (trial["metrics"].is_null()) trial["metrics"] = Json::array({is_classes ? "accuracy" : "mae"});
  for (std::size_t i = 0; i < trial["metrics"].size(); ++i) {
    const Json& name = trial["metrics"][i];
    if (!name.is_string() || (name == "accuracy") == is_classes) continue;
    faults.at("trial.metrics." + std::to_string(i),
              fmt::format("the metric {} is not for {}", name.get<std::string>(), is_classes ? "classes" : "numbers"),
              is_classes ? "write accuracy" : "write mae, rmse or r2");
  }
}

std::vector<std::string> metrics_of(const Json& trial, const std::optional<dataset::Schema>& schema) {
  if (trial["kind"] == "function") return {"value"};
  if (trial["kind"] == "command") return {};
  std::vector<std::string> out;
  std::vector<std::string> measured{"loss"};
  if (trial["metrics"].is_array()) {
    for (const Json& name : trial["metrics"]) {
      if (name.is_string()) measured.push_back(name.get<std::string>());
    }
  }
  for (const char* split : {"val", "train"}) {
    if (split == std::string("val") && schema && schema->val == 0) continue;
    for (const std::string& name : measured) out.push_back(std::string(split) + "." + name);
  }
  return out;
}

model::Interface interface_of(const dataset::Schema& schema) {
  return {{{"x", schema.input}}, schema.classes, schema.targets};
}

}  // namespace dlrun::spec
