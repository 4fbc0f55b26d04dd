// SPDX-License-Identifier: Apache-2.0
#include "recipe/metric_direction.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "recipe/metric_kinds.hpp"

namespace dlrun::recipe {

namespace {

bool ends_with_any(const std::string& name, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return name.ends_with(word); });
}

}  // namespace

std::string direction_of(const std::string& metric) {
  if (find_metric(metric.substr(metric.rfind('.') + 1)) != nullptr) {
    return is_maximized(metric) ? "maximize" : "minimize";
  }
  std::string name = metric;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (ends_with_any(name, {"accuracy", "acc", "r2", "auc", "f1", "precision", "recall", "reward"})) return "maximize";
  if (name.starts_with("value")) return "minimize";
  if (ends_with_any(name, {"loss", "error", "mae", "mse", "rmse", "perplexity"})) return "minimize";
  return {};
}

}  // namespace dlrun::recipe
