// SPDX-License-Identifier: Apache-2.0
// An ablation whose variants are tuned before they are compared: each tries the same few settings, then its replicates
// run with those that won.
#pragma once
#include "samplers/candidates.hpp"
#include "samplers/cell_sampler.hpp"

namespace dlrun::samplers {

/// The space begins with the parameters of cells, `purpose` among them, whose first value is a comparison and whose
/// second is tuning; the settings follow the variant, each under the condition that the variant has its place.
struct RetuneOptions {
  std::size_t purpose = 0;
  std::int64_t trials = 0;         ///< settings that are tried for each variant
  std::string sampler = "random";  ///< random: the same points for all; others search for each variant by itself
  CellOptions cells;               ///< `replicate` and `variant` stand before the settings
};

/// Why not the settings as written for all: they were tuned for the whole model, so what is left of it looks worse than
/// it is (Melis, Dyer and Blunsom, ICLR 2018, of baselines). The budget is equal, the baseline's too, and the
/// candidates are the same points for all: the first ones of a random search of this study's seed, so their luck
/// cancels in the difference. They run on a replicate of their own, so that the value which won is not the one that is
/// compared.
///
/// A variant's replicates wait until all of its candidates are visible, and for no other variant. Settings that it does
/// not have are left out of its candidates; what is then the same runs once, and a variant with one candidate has
/// nothing to choose. Where all candidates have failed the variant gets no replicates, and no variant any where it is
/// the baseline. Once a replicate has begun, the
/// settings stay: a person who retries a failed candidate changes nothing.
class RetuneSampler final : public Sampler {
 public:
  /// REQUIRES: constraints are between settings.
  RetuneSampler(const space::Space& space, const RetuneOptions& options, std::uint64_t seed);
  RetuneSampler(const RetuneSampler&) = delete;
  RetuneSampler& operator=(const RetuneSampler&) = delete;

  std::string_view name() const override { return "retune"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& result) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }
  /// How many runs tune each variant; 0 where it has nothing to choose.
  std::vector<std::size_t> tuning_runs() const;

 private:
  bool is_tuning(const space::Values& values) const;
  std::size_t variant_of(const space::Values& values) const;
  void add_points(std::uint64_t seed, std::int64_t trials);
  void add_searches(const std::string& sampler, std::uint64_t seed, std::int64_t trials);
  space::Values cell_of(std::size_t variant) const;
  bool has_failed(std::size_t variant) const;
  std::optional<space::Values> chosen(std::size_t variant) const;
  std::string why(const space::Values& cell) const;
  std::string why_none() const;
  std::optional<space::Values> next_candidate();
  std::optional<space::Values> next_cell(std::int64_t number);

  space::Space space_;
  std::size_t purpose_, variant_;
  std::vector<Candidates> candidates_;               ///< [variant]
  std::vector<std::optional<space::Values>> begun_;  ///< [variant]: of its first replicate
  CellSampler cells_;
  std::string reason_;
};

}  // namespace dlrun::samplers
