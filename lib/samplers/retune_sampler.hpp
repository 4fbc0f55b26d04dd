// SPDX-License-Identifier: Apache-2.0
// An ablation whose variants are tuned before they are compared: each tries the same few settings, then its replicates
// run with those that won.
#pragma once
#include "samplers/candidates.hpp"
#include "samplers/cell_sampler.hpp"

namespace dlrun::samplers {

/// The space begins with the parameters of cells, among them `purpose`, whose first value is a comparison and whose
/// second is tuning, and `tuning`, the number of a tuning, of as many as there are replicates or of one. The settings
/// follow the variant, each under the condition that the variant has its place.
struct RetuneOptions {
  std::size_t purpose = 0, tuning = 0;
  std::int64_t trials = 0;         ///< settings that are tried in each tuning of a variant
  std::string sampler = "random";  ///< random: the same points for all; others search for each variant by itself
  CellOptions cells;               ///< `replicate` and `variant` stand before the settings
  bool has_own_seeds = false;      ///< each tuning searches with a seed of its own; in earlier versions all had one
};

/// Why not the settings as written for all: they were tuned for the whole model, so what is left of it looks worse than
/// it is (Melis, Dyer and Blunsom, ICLR 2018, of baselines). The budget is equal, the baseline's too, and the
/// candidates are the same points for all: the first ones of a random search of this study's seed, so their luck
/// cancels in the difference. (A sampler that learns may be asked for; then each variant has one of its own.) They run
/// on a seed of their own, so that the value which won is not the one that is compared.
///
/// One tuning for a variant is cheap, and its luck is in all of the variant's replicates; where each replicate has a
/// tuning of its own, with the next points and another seed, differences vary by what tuning adds (Bouthillier et al.,
/// MLSys 2021, section 3).
///
/// A replicate waits until the candidates of its tuning are visible, and for nothing else; those of a replicate that no
/// variant may have (CellSampler) are not tried. Settings that a variant does not have are left out of its candidates;
/// what is then the same runs once, and a variant with one candidate has nothing to choose. Where all candidates have
/// failed there is no replicate, of any variant where they are the baseline's. Once a replicate has begun, its settings
/// stay: a person who retries a failed candidate changes nothing.
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
  /// Runs that tune each variant, at most; 0 where it has nothing to choose.
  std::vector<std::size_t> tuning_runs() const;

 private:
  /// Tuning of one variant.
  struct Tuning {
    Candidates candidates;
    std::optional<space::Values> begun;  ///< values of the first replicate, which won
    bool has_failed() const;
    std::optional<space::Values> chosen() const;
  };
  using Tunings = std::vector<Tuning>;  ///< [variant]

  bool is_tuning(const space::Values& values) const;
  std::size_t variant_of(const space::Values& values) const;
  Tuning& tuning_of(const space::Values& values);
  Tunings& tunings_of(const Cell& cell) { return tunings_[tunings_.size() == 1 ? 0 : cell.replicate]; }
  void add_points(std::size_t tuning, std::uint64_t seed, std::int64_t trials);
  void add_searches(std::size_t tuning, const RetuneOptions& options, std::uint64_t seed);
  space::Values cell_of(std::size_t tuning, std::size_t variant) const;
  std::optional<space::Values> next_for(const Cell& cell);
  std::string why(const space::Values& values);
  std::string why_none() const;

  space::Space space_;
  std::size_t purpose_, tuning_, replicate_, variant_;
  CellSampler cells_;
  std::vector<Tunings> tunings_;
  std::string reason_;
};

}  // namespace dlrun::samplers
