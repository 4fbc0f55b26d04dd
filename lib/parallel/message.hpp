// SPDX-License-Identifier: Apache-2.0
// Messages between the nodes of a gang.
#pragma once
#include <cstdint>
#include <vector>

namespace dlrun::parallel {

enum class Kind {
  change,   ///< a gradient, or a change of weights: what a server takes in
  weights,  ///< weights, perhaps with the share by which the receiver mixes them in
  request,  ///< asks for weights
  part,     ///< summand of a sum that several ranks make
  sum,      ///< a part of the finished sum
  turn,     ///< from a rank to its own background coroutine
  receipt   ///< for a change that a server has taken in
};
inline constexpr Kind kLastKind = Kind::receipt;

/// @tparam Real  float in trainings; double in tests of equivalences
template <class Real>
struct Message {
  Kind kind = Kind::change;
  int from = 0;
  std::int64_t clock = 0;  ///< the sender's count of its gradients
  int shard = 0;           ///< position of the shard that a rank tells another of
  double samples = 0;      ///< examples behind a change
  double weight = 0;       ///< share of a mix; push-sum weight
  bool wants_reply = false;
  std::vector<Real> numbers = {};  ///< empty in timing mode
  double share = 0;                ///< part of the model that it carries
  double packed = 1;               ///< bytes on the wire, per byte of that part (packing.hpp)
  bool is_sparse = false;          ///< has the numbers of some places of its shard
  std::vector<std::uint32_t> places = {};
};

/// Messages that a node waits for; a negative number stands for any.
struct Filter {
  Kind kind;
  int from = -1;
  std::int64_t clock = -1;
  int shard = -1;

  template <class Real>
  bool fits(const Message<Real>& message) const {
    return message.kind == kind && (from < 0 || message.from == from) && (clock < 0 || message.clock == clock) &&
           (shard < 0 || message.shard == shard);
  }
};

}  // namespace dlrun::parallel
