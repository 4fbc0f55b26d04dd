// SPDX-License-Identifier: Apache-2.0
// Checks of `codec:` of `parallel:`.
#include <fmt/format.h>

#include "parallel/codec.hpp"
#include "spec/gang_parts.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kCodec = "trial.parallel.codec";

bool has_number(const std::vector<Json>& values) {
  return std::any_of(values.begin(), values.end(), [](const Json& value) { return value.is_number() && value != 0; });
}

bool has_other(const std::vector<Json>& values, const Json& usual) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Json& value) { return !value.is_null() && value != usual; });
}

/// Where both the method and the codec are searched, each of the one must suit each of the other.
void refuse_pairs(const Parts& parts, Faults& faults) {
  const bool has_server = parts.may_be("op", parallel::Bsp::kName) || parts.may_be("op", parallel::Asp::kName) ||
                          parts.may_be("op", parallel::Ssp::kName);
  const char* const help = "search codecs that all methods have: dense, bf16";
  if (parts.may_be("codec.op", parallel::Dgc::kName) && parts.may_be("op", parallel::ArSgd::kName))
    faults.at_key(kCodec, "dgc needs a server, which ar_sgd has not", help);
  if (parts.may_be("codec.op", parallel::PowerSgd::kName) && has_server)
    faults.at_key(kCodec, "powersgd needs ar_sgd, whose ranks sum thin matrices", help);
}

void refuse_momentum(const Parts& parts, Faults& faults) {
  if (!parts.may_be("codec.momentum_correction", true)) return;
  const std::string at =
      faults.was_written(join(kCodec, "momentum_correction")) ? join(kCodec, "momentum_correction") : kCodec;
  const char* const help = "write momentum_correction: false";
  if (has_other(parts.values_of("optimizer.op"), "sgd"))
    return faults.clash(at, "momentum correction is made for sgd", "trial.optimizer", "the optimizer", help);
  if (has_number(parts.values_of("optimizer.dampening")) || has_other(parts.values_of("optimizer.nesterov"), false))
    return faults.clash(at, "momentum correction knows neither nesterov nor dampening", "trial.optimizer",
                        "the optimizer", help);
  if (has_other(parts.values_of("schedule.cycle_momentum"), false))
    faults.clash(at, "momentum correction keeps the optimizer's momentum, which the schedule moves", "trial.schedule",
                 "the schedule", help);
}

}  // namespace

void check_codec(const Json& trial, const Json& space, Faults& faults) {
  if (faults.is_bad(kCodec)) return;
  const Parts parts(trial, space);
  refuse_pairs(parts, faults);
  if (!parts.may_be("codec.op", parallel::Dgc::kName)) return;
  if (parts.may_step_at_ranks())
    faults.at_key(kCodec, "dgc packs gradients, and ranks with an optimizer of their own send changes of weights",
                  "write momentum: server");
  refuse_momentum(parts, faults);
  if (parts.may_be_wait_free() && parts.may_be("codec.clipping", true) && has_number(parts.values_of("clip_norm")))
    faults.clash(kCodec, "clipping needs a rank's whole gradient, which wait_free does not wait for", "trial.clip_norm",
                 "the clipping", "write wait_free: false, or clip_value");
}

void check_idle_codec(const Json& trial, const Json& space, Faults& faults) {
  const Parts parts(trial, space);
  const auto idle = [&](const char* key, const char* why, const char* help) {
    if (parts.is_given(key, faults)) faults.at_key(join(kParts, key), why, help);
  };
  if (!parts.may_be("codec.op", parallel::Dgc::kName)) return;
  if (!has_number(parts.values_of("clip_norm"))) idle("codec.clipping", "there is no clip_norm", "write clip_norm: 1");
  const bool has_velocity =
      parts.may_be("codec.momentum_correction", true) && has_number(parts.values_of("optimizer.momentum"));
  if (!has_velocity) {
    idle("codec.masking", "ranks keep no velocities to be masked", "write momentum: 0.9 in the optimizer");
    if (!has_number(parts.values_of("optimizer.momentum")))
      idle("codec.momentum_correction", "the optimizer has no momentum", "write momentum: 0.9 in the optimizer");
  }
}

}  // namespace dlrun::spec
