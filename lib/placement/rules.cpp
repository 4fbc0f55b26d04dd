// SPDX-License-Identifier: Apache-2.0
#include "placement/rules.hpp"

#include <fmt/format.h>

#include <vector>

namespace dlrun::placement {

namespace {

constexpr const char* kSurrogate = "measured: surrogate";

bool looks_like_cells(const Features& f) { return f.sources == 1 && f.transfer_share >= 1 && f.widest_fan_out <= 8; }

bool looks_recurrent(const Features& f) { return f.parallelism < 2 && f.widest_fan_out > 8 && f.transfer_share >= 0.2; }

bool looks_like_attention(const Features& f) {
  return f.parallelism >= 2 && f.transfer_share < 0.3 && f.skip_share >= 0.3;
}

bool is_anything(const Features&) { return true; }

/// Orders that were best under the greedy placer on 16 graphs of each family, and for the last on all 48
/// (tests/bench/placement/rules.py).
const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"cells of a convolutional net", looks_like_cells, "alpha", kSurrogate},
      {"a recurrent net with a hub", looks_recurrent, "topo", kSurrogate},
      {"encoder and decoder with attention", looks_like_attention, "reversed-topo", kSurrogate},
      {"none of the known families", is_anything, "lexico-topo", kSurrogate},
  };
  return all;
}

}  // namespace

const Rule& rule_for(const Features& features) {
  for (const Rule& rule : rules()) {
    if (rule.applies(features)) return rule;
  }
  return rules().back();
}

std::string reason_of(const Rule& rule, const Features& f) {
  return fmt::format("order {}: looks like {} (parallelism {:.1f}, transfers {:.2f} of the work, {:.0f} % skips; {})",
                     rule.order, rule.looks_like, f.parallelism, f.transfer_share, 100 * f.skip_share, rule.evidence);
}

}  // namespace dlrun::placement
