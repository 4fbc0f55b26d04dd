// SPDX-License-Identifier: Apache-2.0
// Sampler and pruner that do as a test says, for parts of the study that are tested alone.
#pragma once
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"

namespace dlrun::test {

/// Words and proposals that outlive the sampler which they belong to.
struct SamplerScript {
  std::vector<std::string> heard;  ///< "start 0", "result 0: 0.5", "learn 2"
  std::deque<space::Values> proposals;
  std::optional<double> promise;
  std::string reason = "by script";
};

class FakeSampler final : public samplers::Sampler {
 public:
  explicit FakeSampler(SamplerScript& script) : script_(script) {}
  std::string_view name() const override { return "fake"; }
  void learn(const std::vector<samplers::Observation>& trials) override {
    script_.heard.push_back(fmt::format("learn {}", trials.size()));
  }
  void on_start(trial::TrialId id, const space::Values&) override {
    script_.heard.push_back(fmt::format("start {}", id.value));
  }
  void on_result(const samplers::Observation& seen) override {
    const std::string value = seen.objective ? fmt::format("{}", *seen.objective) : "failed";
    script_.heard.push_back(fmt::format("result {}: {}{}", seen.trial.value, value, seen.is_whole ? ", whole" : ""));
  }
  std::optional<space::Values> propose(std::int64_t) override {
    if (script_.proposals.empty()) return std::nullopt;
    return script_.proposals.front();
  }
  std::optional<double> expected_improvement() const override { return script_.promise; }
  std::string reason() const override { return script_.reason; }

 private:
  SamplerScript& script_;
};

}  // namespace dlrun::test
