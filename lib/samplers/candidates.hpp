// SPDX-License-Identifier: Apache-2.0
// The settings that are tried for one variant of an ablation, and which of them won.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "samplers/sampler.hpp"
#include "samplers/settings.hpp"

namespace dlrun::samplers {

/// A sampler that searches the settings of one variant by itself.
struct OwnSearch {
  space::Space space;  ///< space of the study
  space::Values cell;  ///< purpose and variant; settings are unset
  Settings settings;   ///< settings of this variant
  std::unique_ptr<Sampler> sampler;
  std::int64_t first = 0;   ///< number of its first proposal
  std::int64_t trials = 0;  ///< trials it may start
};

/// Points, each of which is measured once; the least cost wins, of equal ones the first. They are given beforehand
/// (`add`), or a search finds them one after the other.
class Candidates {
 public:
  void add(const space::Values& values);
  void search(OwnSearch own) { own_ = std::move(own); }
  /// The next to start; nullopt: there is none.
  std::optional<space::Values> next();
  /// A started point that was never added is added: the search found it, or a person asked for it.
  void on_start(trial::TrialId trial, const space::Values& values);
  /// A later result, of a failed one that was tried again, takes the place of the earlier.
  void on_result(const Observation& result);

  std::size_t size() const { return all_.size(); }
  const space::Values& first() const { return all_.front().values; }
  std::size_t planned() const;  ///< points to be measured, at most
  bool has_choice() const { return planned() > 1; }
  bool is_over() const;  ///< no point is left to be tried, and all results are visible
  bool is_waiting() const { return started() > 0 && !is_over(); }
  /// REQUIRES: is_over(). nullopt: all have failed.
  std::optional<space::Values> winner() const;

 private:
  struct Candidate {
    space::Values values;
    bool is_started = false;
    bool is_seen = false;
    std::optional<double> cost = {};
  };
  Candidate* find(const space::Values& values);
  std::size_t started() const;

  std::vector<Candidate> all_;
  std::optional<OwnSearch> own_;
  bool is_used_up_ = false;  ///< the search has nothing new
};

}  // namespace dlrun::samplers
