// SPDX-License-Identifier: Apache-2.0
#include "recipe/lr_scaling.hpp"

#include "options/kind.hpp"

namespace dlrun::recipe {

namespace {

using options::choice;
using options::field;
using options::integer;
using options::real;
using Scaling = LrScalingConfig;
using ScalingFields = options::Fields<Scaling>;
using ScalingKinds = options::Kinds<Scaling>;

constexpr const char* kNoScaling = "none";
constexpr double kLargestBase = 1 << 20, kNeverEnds = 1e6;

ScalingFields warmup_fields(const char* usual) {
  return {
      field(choice("warmup",
                   "how the rate rises to its factor: at once, linearly from the base rate, or each tensor's by the "
                   "gains that it has made (LENA)",
                   {"none", "fixed", "layer_wise"})
                .with(usual)
                .search(),
            &Scaling::warmup),
      field(real("warmup_share", "part of all updates that a fixed warm-up takes").above(0).to(1).search(),
            &Scaling::warmup_share),
      field(real("alpha", "layer_wise ends when a tensor's gains sum up to this part of the training's micro-batches")
                .above(0)
                .to(1)
                .search(),
            &Scaling::alpha),
      field(real("longest", "part of all updates after which layer_wise is over at the latest; above 1: perhaps never")
                .above(0)
                .to(kNeverEnds)
                .search(),
            &Scaling::longest)};
}

ScalingFields gain_fields() {
  return {field(real("smoothing", "weight of a step in the running means of squared norms")
                    .above(0)
                    .to(1)
                    .or_else("micro-batches / 1000, at most 1")
                    .search(),
                &Scaling::smoothing),
          field(real("eps", "added to both squared norms of a gain").above(0), &Scaling::eps)};
}

ScalingFields base_fields() {
  return {field(integer("base_batch", "examples of the step that lr was chosen for")
                    .from(1)
                    .to(kLargestBase)
                    .or_else("batch_size"),
                &Scaling::base_batch)};
}

options::Kind<Scaling> kind_of_scaling(const char* op, const char* text, const char* warmup, ScalingFields own) {
  return {op, text, options::joined<options::Field<Scaling>>({std::move(own), warmup_fields(warmup), gain_fields()}),
          [op](Scaling& out) { out.op = op; }};
}

const ScalingKinds& scaling_kinds() {
  static const ScalingKinds kinds = {
      {kNoScaling, "the rate as it is, for a search among the others", {}, [](Scaling& out) { out.op = kNoScaling; }},
      kind_of_scaling("linear", "times the micro-batches of a step (Goyal et al. 2017)", "none", base_fields()),
      kind_of_scaling("sqrt", "times their square root", "none", base_fields()),
      kind_of_scaling("adascale", "times the gain of the whole model's gradient (Johnson et al. 2020)", "none", {}),
      kind_of_scaling("lena", "times the gain of each tensor's gradient (Ko et al. 2022; in a dissertation: LEARNER)",
                      "layer_wise", {})};
  return kinds;
}

/// Settings without effect get their defaults, so that equal trainings have equal fingerprints.
void settle(Scaling& config) {
  const Scaling usual;
  if (config.warmup != "fixed") config.warmup_share = usual.warmup_share;
  if (config.warmup != "layer_wise") config.alpha = usual.alpha;
  if (config.warmup != "layer_wise") config.longest = usual.longest;
  if (config.measures()) return;
  config.smoothing = usual.smoothing;
  config.eps = usual.eps;
}

}  // namespace

options::Key lr_scaling_key() {
  return options::kind_key("lr_scaling", "how the learning rate follows the micro-batches of a step", scaling_kinds())
      .or_else("the rate as it is");
}

std::optional<LrScalingConfig> read_lr_scaling(const Json& trial, std::int64_t batch_size, std::int64_t micro_batches) {
  const Json section = trial.value("lr_scaling", Json());
  if (section.is_null()) return std::nullopt;
  Scaling config = read_kind(section, scaling_kinds(), "lr_scaling", Scaling().op);
  if (config.base_batch == batch_size) config.base_batch.reset();
  if (config.op == kNoScaling || (micro_batches == 1 && !config.base_batch)) return std::nullopt;
  settle(config);
  return config;
}

Json to_json(const LrScalingConfig& scaling) {
  return {{"op", scaling.op},
          {"base_batch", options::written(scaling.base_batch)},
          {"warmup", {scaling.warmup, scaling.warmup_share, scaling.alpha, scaling.longest}},
          {"gains", {options::written(scaling.smoothing), scaling.eps}}};
}

}  // namespace dlrun::recipe
