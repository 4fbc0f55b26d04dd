// SPDX-License-Identifier: Apache-2.0
#include "spec/search_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "space/space.hpp"
#include "spec/space_section.hpp"
#include "trial/metric_kinds.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace {

constexpr int kTrialsByDefault = 32;

bool is_name_character(unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; }

bool ends_with_any(const std::string& name, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return name.ends_with(word); });
}

/// Which way is better, by the name; empty: it does not say.
std::string direction_of(const std::string& metric) {
  if (trial::find_metric(metric.substr(metric.rfind('.') + 1)) != nullptr) {
    return trial::is_maximized(metric) ? "maximize" : "minimize";
  }
  std::string name = metric;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (ends_with_any(name, {"accuracy", "acc", "r2", "auc", "f1", "precision", "recall", "reward"})) return "maximize";
  if (ends_with_any(name, {"loss", "error", "mae", "mse", "rmse", "perplexity", "value"})) return "minimize";
  return {};
}

void check_metric(const std::string& metric, const std::vector<std::string>& metrics, Faults& faults) {
  const std::string path = "objective.metric";
  if (metric.starts_with("test.") || metric == "test") {
    const std::string instead = "val" + (metric == "test" ? ".loss" : metric.substr(4));
    const bool has_it = std::find(metrics.begin(), metrics.end(), instead) != metrics.end();
    return faults.at(path, "the test split is measured once, for the best, and cannot be the objective",
                     has_it ? "write " + instead : suggest("", metrics, "trials report"));
  }
  const bool is_known = metrics.empty() || std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  if (!is_known)
    faults.at(path, "trials do not report " + document::quote(metric), suggest(metric, metrics, "they report"));
  const bool is_name =
      !metric.empty() && metric.size() <= 100 &&
      std::all_of(metric.begin(), metric.end(), [](unsigned char c) { return is_name_character(c) || c == '/'; });
  if (is_known && !is_name)
    faults.at(path, document::quote(metric) + " is no name for a metric", "letters, digits, '.', '_', '-' and '/'");
}

void check_grid(const Json& study, Faults& faults) {
  for (const Json& parameter : study["space"]) {
    if (parameter["type"] != "float" || !parameter["step"].is_null()) continue;
    faults.at_key(
        path_of(parameter),
        fmt::format("a grid needs finite domains, but '{}' is continuous", parameter["name"].get<std::string>()),
        parameter["scale"] == "log" ? "write the values as choices" : "give it a step, or write the values as choices");
  }
}

/// One pass over the brackets, where the pruner has some.
std::int64_t trials_by_default(const Json& study, const Faults& faults) {
  const std::vector<std::int64_t> brackets = brackets_of(study["search"]["pruner"], faults);
  if (brackets.empty()) return kTrialsByDefault;
  return std::accumulate(brackets.begin(), brackets.end(), std::int64_t(0));
}

/// A search that nothing ends gets a number of trials; a grid ends by itself. The limit of time is no such end: it is
/// not part of the hash, so it may not change what is.
void fill_limits(Json& study, Faults& faults) {
  Json& limits = study["limits"];
  const bool is_grid = study["search"]["sampler"] == "grid";
  const bool has_end = !limits["trials"].is_null() || !limits["epochs"].is_null() || !limits["target"].is_null() ||
                       !limits["stall"].is_null();
  if (!has_end && !is_grid) limits["trials"] = trials_by_default(study, faults);
  if (limits["stall"].is_number() && limits["trials"].is_number() && limits["stall"] >= limits["trials"]) {
    faults.warn("limits.stall", fmt::format("{} trials in a row are not to be had of {}", to_text(limits["stall"]),
                                            to_text(limits["trials"])));
  }
  if (!is_grid || !limits["trials"].is_number() || faults.list.has_errors()) return;
  const auto points = make_space(study["space"]).cardinality();
  if (points && *points > limits["trials"].get<std::int64_t>()) {
    faults.warn("limits.trials",
                fmt::format("the grid has {} points, of which {} are tried", *points, to_text(limits["trials"])));
  }
}

}  // namespace

void check_name(const Json& study, Faults& faults) {
  if (!study["study"].is_string()) return;
  const std::string name = study["study"].get<std::string>();
  const bool is_good = !name.empty() && name.size() <= 100 && std::isalnum(static_cast<unsigned char>(name[0])) != 0 &&
                       std::all_of(name.begin(), name.end(), is_name_character);
  if (!is_good) {
    faults.at("study", document::quote(name) + " is no name for a study",
              "a letter or digit, then up to 99 letters, digits, '.', '_' or '-'");
  }
}

void check_objective(Json& study, const std::vector<std::string>& metrics, Faults& faults) {
  Json& objective = study["objective"];
  if (!objective.is_object() || !objective["metric"].is_string()) return;
  const std::string metric = objective["metric"].get<std::string>();
  check_metric(metric, metrics, faults);
  if (!objective["direction"].is_null() || faults.is_bad("objective")) return;
  const std::string direction = direction_of(metric);
  if (direction.empty()) {
    faults.at_key("objective.direction",
                  "the objective needs a direction, which " + document::quote(metric) + " does not tell",
                  "write direction: minimize, or maximize");
  }
  objective["direction"] = direction.empty() ? "minimize" : direction;
}

void check_search(Json& study, Faults& faults) {
  if (!study["search"].is_object() || !study["trial"].is_object()) return;
  check_pruner(study, faults);
  if (study["search"]["sampler"] == "grid") check_grid(study, faults);
  if (!study["limits"].is_object()) return;
  fill_limits(study, faults);
  check_pruner_limits(study, faults);
}

}  // namespace dlrun::spec
