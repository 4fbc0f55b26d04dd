// SPDX-License-Identifier: Apache-2.0
// The settings that are tried for one variant of an ablation, and which of them won.
#pragma once
#include <optional>
#include <vector>

#include "samplers/sampler.hpp"

namespace dlrun::samplers {

/// A short list of points, each of which is measured once; the least cost wins, of equal ones the first.
class Candidates {
 public:
  void add(const space::Values& values);
  /// The first that was not started; nullopt: all were.
  std::optional<space::Values> next() const;
  void on_start(const space::Values& values);  ///< one that was never added is added: a person asked for it
  /// A later result, of a failed one that was tried again, takes the place of the earlier.
  void on_result(const Observation& result);

  std::size_t size() const { return all_.size(); }
  const space::Values& first() const { return all_.front().values; }
  std::size_t measured() const;  ///< visible results, failures among them
  bool is_over() const { return measured() == all_.size(); }
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

  std::vector<Candidate> all_;
};

}  // namespace dlrun::samplers
