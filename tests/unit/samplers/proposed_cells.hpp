// SPDX-License-Identifier: Apache-2.0
// Cells that a sampler of an ablation asks for, whose space is {replicate, variant}.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "samplers/sampler.hpp"

namespace dlrun::test {

/// Cells that are proposed until something has to become visible, each with its cost by replicate and variant.
inline std::vector<samplers::Observation> proposed_by(samplers::Sampler& sampler, std::int64_t& number,
                                                      const std::function<double(std::int64_t, std::int64_t)>& cost) {
  std::vector<samplers::Observation> out;
  while (const auto values = sampler.propose(number)) {
    const trial::TrialId trial(std::uint32_t(number++));
    sampler.on_start(trial, *values);
    const auto replicate = std::get<std::int64_t>((*values)[0]);
    out.push_back({trial, *values, cost(replicate, std::get<space::Choice>((*values)[1]).index), 1, true});
  }
  return out;
}

/// "1:0 1:1 ": replicate and variant of each.
inline std::string text_of(const std::vector<samplers::Observation>& cells) {
  std::string text;
  for (const samplers::Observation& cell : cells) {
    text += std::to_string(std::get<std::int64_t>(cell.values[0])) + ":" +
            std::to_string(std::get<space::Choice>(cell.values[1]).index) + " ";
  }
  return text;
}

}  // namespace dlrun::test
