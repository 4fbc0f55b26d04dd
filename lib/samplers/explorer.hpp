// SPDX-License-Identifier: Apache-2.0
// The values of an heir in population based training: near its donor's ("explore").
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

/// `factors` and `resample` of the spec.
struct ExplorerOptions {
  double low_factor = 0.8;
  double high_factor = 1.2;
  double resample = 0.25;  ///< chance of a parameter to be drawn anew from its domain
};

/// Perturbs each parameter by itself (Jaderberg et al. 2017, arXiv:1711.09846, section 4): with probability `resample`
/// it is drawn anew, else a number is multiplied by one of the two factors, either as likely, and a choice moves to the
/// one before or after it in the list.
///
/// A value never leaves its domain: numbers are clipped to it (Ray's are not), put on the grid of a step, integers
/// rounded, and moved by one value at least where rounding would undo the change; at the ends it stays. A parameter
/// that was not active and is now is drawn anew. Pure: keyed by the study's seed and the decision's number.
class Explorer {
 public:
  Explorer(const space::Space& space, const ExplorerOptions& options, std::uint64_t seed)
      : space_(space), options_(options), seed_(seed) {}

  /// @param taken  what the donor itself and its other heirs of this rung have: with the same weights and values they
  ///               would train alike bit by bit, so it is drawn again, kMostDraws times at most
  space::Values explore(std::int64_t number, const space::Values& donor, const std::vector<space::Values>& taken = {});
  /// What was changed, for `explain`: "lr 0.1 to 0.12, width drawn anew as 64".
  const std::string& reason() const { return reason_; }

 private:
  static constexpr int kMostDraws = 20;
  space::Values draw(RandomStream& random, const space::Values& donor);
  space::Value near(std::size_t index, const space::Value& value, bool up) const;
  void note(std::size_t index, const space::Value& before, const space::Value& after, bool is_new);

  space::Space space_;
  ExplorerOptions options_;
  std::uint64_t seed_;
  std::string reason_;
};

}  // namespace dlrun::samplers
