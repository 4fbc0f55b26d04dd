// SPDX-License-Identifier: Apache-2.0
// `codec:` of `parallel:`: how gradients are packed for the wire. Formulas and sources stand with the codecs (codecs/).
#pragma once
#include <optional>

#include "parallel/methods.hpp"

namespace dlrun::parallel {

struct Dense {
  static constexpr const char* kName = "dense";
  static constexpr const char* kText = "gradients travel as they are";
  static Fields<Dense> fields() { return {}; }
};

struct Bf16 {
  static constexpr const char* kName = "bf16";
  static constexpr const char* kText = "gradients travel as bfloat16, in half the bytes";
  static Fields<Bf16> fields() { return {}; }
};

struct Dgc {
  static constexpr const char* kName = "dgc";
  static constexpr const char* kText = "deep gradient compression: the largest numbers travel, the rest adds up";
  double ratio = 0.001;
  int warmup_epochs = 4;
  bool momentum_correction = true;
  bool masking = true;
  bool clipping = true;
  // Settings of the trial's optimiser, as far as they are taken over:
  double momentum = 0;              ///< factor of velocities, with momentum correction
  std::optional<double> clip_norm;  ///< for all ranks together, with clipping

  static Fields<Dgc> fields() {
    return {field(real("ratio", "share of a tensor's numbers that travels").above(0).to(1).search(), &Dgc::ratio),
            field(integer("warmup_epochs", "in which the share falls to the ratio").from(0).to(kMostSteps).search(),
                  &Dgc::warmup_epochs),
            field(options::boolean("momentum_correction", "ranks add velocities up, in place of gradients").search(),
                  &Dgc::momentum_correction),
            field(options::boolean("masking", "a number that travels loses its velocity").search(), &Dgc::masking),
            field(options::boolean("clipping", "clip_norm clips on each rank, by clip_norm / √n").search(),
                  &Dgc::clipping)};
  }
};

struct PowerSgd {
  static constexpr const char* kName = "powersgd";
  static constexpr const char* kText = "matrices travel as products of two that are thin";
  int rank = 1;
  bool error_feedback = true;
  bool warm_start = true;
  double least = 2;

  static Fields<PowerSgd> fields() {
    return {
        field(integer("rank", "columns of the thin ones").from(1).to(kMostSteps).search(), &PowerSgd::rank),
        field(options::boolean("error_feedback", "what was lost is added to the next gradient").search(),
              &PowerSgd::error_feedback),
        field(options::boolean("warm_start", "the power iteration goes on from the last step's").search(),
              &PowerSgd::warm_start),
        field(real("least", "times that a matrix must get smaller to be packed").from(0).search(), &PowerSgd::least)};
  }
};

using Codec = std::variant<Dense, Bf16, Dgc, PowerSgd>;

}  // namespace dlrun::parallel
