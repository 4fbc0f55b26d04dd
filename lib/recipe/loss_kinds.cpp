// SPDX-License-Identifier: Apache-2.0
#include "recipe/loss_kinds.hpp"

#include <algorithm>

namespace dlrun::recipe {

const std::vector<LossKind>& loss_kinds() {
  static const std::vector<LossKind> kinds = {{"cross_entropy", LossFit::classes},
                                              {"focal", LossFit::classes},
                                              {"nll", LossFit::classes},
                                              {"multi_margin", LossFit::classes},
                                              {"binary_cross_entropy", LossFit::logits},
                                              {"hinge", LossFit::logits},
                                              {"mse", LossFit::numbers},
                                              {"mae", LossFit::numbers},
                                              {"huber", LossFit::numbers},
                                              {"smooth_l1", LossFit::numbers},
                                              {"log_cosh", LossFit::numbers},
                                              {"quantile", LossFit::numbers},
                                              {"poisson_nll", LossFit::numbers},
                                              {"gaussian_nll", LossFit::numbers, 2},
                                              {"kl_div", LossFit::numbers}};
  return kinds;
}

const LossKind* find_loss(const std::string& name) {
  const std::vector<LossKind>& kinds = loss_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const LossKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

bool fits(const LossKind& kind, bool has_classes) {
  return kind.fit == LossFit::logits || (kind.fit == LossFit::classes) == has_classes;
}

std::vector<std::int64_t> output_widths(const LossKind& kind, std::int64_t classes, std::int64_t targets) {
  if (classes == 0) return {targets * kind.outputs_per_target};
  if (kind.fit == LossFit::logits && classes == 2) return {2, 1};
  return {classes};
}

namespace {

/// The loss; if there are several, the first: they must agree.
std::string name_of(const Json& loss) {
  if (loss.is_string()) return loss.get<std::string>();
  if (loss.is_array()) return loss.empty() ? "" : name_of(loss[0]);
  if (!loss.is_object()) return {};
  if (loss.contains("parts")) return name_of(loss["parts"]);
  return loss.contains("op") ? name_of(loss["op"]) : "";
}

}  // namespace

std::vector<std::int64_t> output_widths(const Json& trial, std::int64_t classes, std::int64_t targets) {
  const LossKind* kind = find_loss(name_of(trial.value("loss", Json())));
  return kind != nullptr && fits(*kind, classes > 0) ? output_widths(*kind, classes, targets)
                                                     : std::vector<std::int64_t>();
}

}  // namespace dlrun::recipe
