// SPDX-License-Identifier: Apache-2.0
// The values of an heir, which a population explores with its donor's weights (docs/pbt.md).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "trial/trial.hpp"

namespace dlrun::samplers {

/// `factors` and `resample` of the spec, and who explores.
struct ExplorerOptions {
  std::string op = "pbt";  ///< pbt: Perturbation, pb2: Bandit
  double low_factor = 0.8;
  double high_factor = 1.2;
  double resample = 0.25;  ///< chance of a parameter to be drawn anew from its domain
};

/// Trial from which an heir begins.
struct Donor {
  trial::TrialId trial;
  space::Values values;
};

/// Told of every trial and every visible result in logical order, like a sampler; says the values of heirs. Pure: its
/// draws are keyed by the study's seed and the decision's number.
class Explorer {
 public:
  virtual ~Explorer() = default;
  /// A trial was decided. @param donor  trial whose weights it begins with; one that does not exist: fresh weights
  virtual void on_start(trial::TrialId, const space::Values&, trial::TrialId /*donor*/) {}
  /// The cost of a trial after so many epochs became visible; lower is better; nullopt: it failed.
  virtual void on_result(trial::TrialId, std::int64_t /*epoch*/, std::optional<double> /*cost*/) {}
  /// @param taken  what the donor itself and its other heirs of this rung have: with the same weights and values they
  ///               would train alike bit by bit, so others are looked for
  virtual space::Values explore(std::int64_t number, const Donor& donor, const std::vector<space::Values>& taken) = 0;
  /// Changes of the last heir, for `explain`: "lr 0.1 to 0.12, width drawn anew as 64".
  const std::string& reason() const { return reason_; }

 protected:
  std::string reason_;
};

/// Explorer by its `op`. @throws Error(usage): there is no such explorer.
std::unique_ptr<Explorer> make_explorer(const space::Space& space, const ExplorerOptions& options, std::uint64_t seed);

/// "lr 0.1 to 0.12, width 32 to 64"; parameters that stay are left out.
std::string changes(const space::Space& space, const space::Values& before, const space::Values& after);
/// A value as reasons show it.
std::string value_text(const space::Space& space, std::size_t index, const space::Value& value);

}  // namespace dlrun::samplers
