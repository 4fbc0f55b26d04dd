// SPDX-License-Identifier: Apache-2.0
// The pruner of a study that wants none.
#pragma once
#include "pruners/pruner.hpp"

namespace dlrun::pruners {

/// Every trial runs its whole budget in one piece.
class NonePruner final : public Pruner {
 public:
  std::vector<std::int64_t> rungs() const override { return {}; }
  void on_value(trial::TrialId, int, std::optional<double>) override {}
  std::optional<Promotion> next() const override { return std::nullopt; }
  void claim(trial::TrialId trial, int rung) override;
};

}  // namespace dlrun::pruners
