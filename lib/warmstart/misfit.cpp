// SPDX-License-Identifier: Apache-2.0
#include "warmstart/misfit.hpp"

#include <fmt/format.h>

namespace dlrun::warmstart {

namespace {

std::string help_for(const std::string& fault, const WarmStart& start) {
  if (fault.starts_with("E407")) return "take another donor, whose training did not diverge";
  if (fault.starts_with("E408")) return "let `map` give each tensor a name of its own";
  return start.policy == "partial" ? "on_mismatch: skip lets such tensors begin fresh"
                                   : "policy: partial takes what fits";
}

std::string help_for_share(double share, const WarmStart& start) {
  if (share == 0) return "take another donor, or `map` its names to those of the model";
  const std::string lower = "lower warm_start.min_fraction";
  return start.on_mismatch == "slice" ? lower : lower + ", or on_mismatch: slice copies the part that both shapes have";
}

}  // namespace

std::optional<Misfit> misfit_of(const WarmStart& start, const TransferPlan& plan) {
  if (!plan.faults.empty()) {
    const std::size_t more = plan.faults.size() - 1;
    const std::string& first = plan.faults.front();
    return Misfit{first + (more > 0 ? fmt::format(" (and {} more like it)", more) : ""), help_for(first, start)};
  }
  const double least = start.policy == "partial" ? start.min_fraction : 0;
  if (plan.share > 0 && plan.share >= least) return std::nullopt;
  return Misfit{fmt::format("E402: {:.1f} % of the model's numbers would be copied, {}", 100 * plan.share,
                            least > 0 ? fmt::format("less than {:.1f} %", 100 * least) : "so nothing begins with them"),
                help_for_share(plan.share, start)};
}

}  // namespace dlrun::warmstart
