// SPDX-License-Identifier: Apache-2.0
// The values of an heir in population based training: near its donor's ("explore").
#pragma once
#include "samplers/explorer.hpp"
#include "space/feasible_draw.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

/// Perturbs each parameter by itself (Jaderberg et al. 2017, arXiv:1711.09846, section 4): with probability `resample`
/// it is drawn anew, else a number is multiplied by one of the two factors, either as likely, and a choice moves to the
/// one before or after it in the list.
///
/// A value never leaves its domain: numbers are clipped to it (Ray's are not), put on the grid of a step, integers
/// rounded, and moved by one value at least where rounding would undo the change; at the ends it stays. A parameter
/// that was not active and is now is drawn anew. What is taken is drawn again, kMostDraws times at most.
/// What a constraint excludes is moved to the nearest point that none does.
class Perturbation final : public Explorer {
 public:
  Perturbation(const space::Space& space, const ExplorerOptions& options, std::uint64_t seed)
      : space_(space), options_(options), seed_(seed) {}

  space::Values explore(std::int64_t number, const Donor& donor, const std::vector<space::Values>& taken) override;

 private:
  static constexpr int kMostDraws = 20;
  space::Values draw(RandomStream& random, const space::Values& donor);
  space::Value near(std::size_t index, const space::Value& value, bool up) const;
  void note(std::size_t index, const space::Value& before, const space::Value& after, bool is_new);

  space::Space space_;
  ExplorerOptions options_;
  std::uint64_t seed_;
  std::optional<space::FeasibleDraw> feasible_;  ///< made when it is first asked
};

}  // namespace dlrun::samplers
