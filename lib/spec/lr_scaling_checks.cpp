// SPDX-License-Identifier: Apache-2.0
// Checks of `lr_scaling:` beyond the table of keys: a step has micro-batches, no setting is without effect, and none
// does what another does already.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "recipe/lr_scaling.hpp"
#include "spec/gang_parts.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kScaling = "trial.lr_scaling";

Json scaling_value(const Json& trial, const char* section, const char* key) {
  const Json found = trial.value(section, Json());
  return found.is_object() ? found.value(key, Json()) : Json();
}

/// The values that trials of the study may have there, as far as they can be told.
std::vector<Json> values_at(const Json& base, const Json& space, const std::string& place) {
  std::vector<Json> all = {base};
  for (const Json& parameter : space) {
    if (parameter["at"] != place) continue;
    const Json choices = parameter.value("choices", Json::array());
    all.insert(all.end(), choices.begin(), choices.end());
  }
  return all;
}

bool has_one_of(const std::vector<Json>& values, std::initializer_list<const char*> wanted) {
  return std::any_of(values.begin(), values.end(), [&](const Json& value) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const char* one) { return value == one; });
  });
}

/// A study's trials, as these checks see them.
struct ScalingStudy {
  const Json& trial;
  const Json& space;
  std::vector<Json> ops, warmups;

  bool measures() const { return has_one_of(ops, {"adascale", "lena"}) || has_one_of(warmups, {"layer_wise"}); }
  bool is_searched(const char* place) const { return is_set(space, place); }
};

/// Micro-batches of a step of the trial as it is written; 0: unknown.
std::int64_t micro_batches(const Json& trial, bool is_gang) {
  const Json count = is_gang ? scaling_value(trial, "parallel", "ranks") : trial["accumulate"];
  const Json dropped = scaling_value(trial, "parallel", "drop_slowest");
  if (!count.is_number_integer()) return 0;
  return count.get<std::int64_t>() - (dropped.is_number_integer() ? dropped.get<std::int64_t>() : 0);
}

void refuse_without_batches(const ScalingStudy& study, Faults& faults) {
  const Json base = scaling_value(study.trial, "lr_scaling", "base_batch");
  const bool has_base = base.is_number() && base != study.trial["batch_size"];
  const bool is_gang = study.trial.contains("parallel") || study.is_searched("parallel.ranks");
  const bool is_searched = study.is_searched(is_gang ? "parallel.ranks" : "accumulate");
  if (has_base || is_searched || study.is_searched("parallel.drop_slowest") || micro_batches(study.trial, is_gang) != 1)
    return;
  if (base.is_number() && study.is_searched("batch_size")) return;
  faults.at_key(kScaling, "a step is one micro-batch, so the rate would stay as it is",
                "write accumulate: 8 beside it, or parallel: {op: ar_sgd, ranks: 8}");
}

void refuse_idle(std::initializer_list<const char*> keys, bool is_used, const char* without, const char* hint,
                 Faults& faults) {
  for (const char* key : keys) {
    const std::string path = join(kScaling, key);
    if (is_used || !faults.was_written(path)) continue;
    faults.at_key(path, fmt::format("{} has no effect without {}", key, without), hint);
  }
}

void refuse_idle_keys(const ScalingStudy& study, Faults& faults) {
  const bool is_fixed = has_one_of(study.warmups, {"fixed"}), is_by_gains = has_one_of(study.warmups, {"layer_wise"});
  refuse_idle({"warmup_share"}, is_fixed, "a fixed warm-up", "write warmup: fixed", faults);
  refuse_idle({"alpha", "longest"}, is_by_gains, "a warm-up by layers", "write warmup: layer_wise", faults);
  refuse_idle({"smoothing", "eps"}, study.measures(), "gains", "write op: lena or adascale", faults);
}

void refuse_second_warmup(const ScalingStudy& study, Faults& faults) {
  const Json warmup = scaling_value(study.trial, "schedule", "warmup");
  const bool is_warmed = (warmup.is_number() && warmup != 0.0) || study.is_searched("schedule.warmup");
  if (!is_warmed || !has_one_of(study.warmups, {"fixed", "layer_wise"})) return;
  faults.clash(faults.was_written(join(kScaling, "warmup")) ? join(kScaling, "warmup") : kScaling,
               "a training has one warm-up, not two", "trial.schedule.warmup", "the other is set here",
               "remove one of the two");
}

void refuse_fp16(const ScalingStudy& study, Faults& faults) {
  if (!study.measures() || !has_one_of(values_at(study.trial["precision"], study.space, "precision"), {"fp16"})) return;
  faults.clash(kScaling, "gains cannot be measured on gradients that carry the loss scale of fp16", "trial.precision",
               "the precision", "write precision: bf16");
}

/// A server that drops gradients takes no squared norms in.
void refuse_gains_of_dropped(const ScalingStudy& study, Faults& faults) {
  if (Parts(study.trial, study.space).may_be_above("drop_slowest", 0))
    faults.clash(kScaling, "rounds that drop gradients have no mean of all ranks, of which gains are measured",
                 join(kParts, "drop_slowest"), "the dropping", "write drop_slowest: 0, or op: linear");
}

/// The ranks' own factor, and methods without a mean gradient.
void check_with_ranks(const ScalingStudy& study, Faults& faults) {
  const Json& gang = study.trial["parallel"];
  if (gang.value("lr_scale", Json()) != "auto" || study.is_searched("parallel.lr_scale"))
    faults.clash(kScaling, "the rate is scaled by one of the two", "trial.parallel.lr_scale", "the ranks' factor",
                 "remove lr_scale");
  if (!study.measures()) return;
  const char* const hint = "gains need ar_sgd, or bsp with momentum: server";
  for (const Json& op : values_at(gang.value("op", Json()), study.space, "parallel.op")) {
    if (op != "ar_sgd" && op != "bsp" && op.is_string())
      faults.clash(kScaling,
                   fmt::format("ranks of {} take no step by a mean gradient, of which gains are measured",
                               op.get<std::string>()),
                   "trial.parallel", "the ranks", hint);
  }
  if (has_one_of(values_at(gang.value("momentum", Json()), study.space, "parallel.momentum"), {"worker"}) &&
      gang.value("op", Json()) == "bsp")
    faults.clash(kScaling, "ranks that take steps of their own have no mean gradient, of which gains are measured",
                 "trial.parallel.momentum", "the ranks", hint);
  refuse_gains_of_dropped(study, faults);
  const bool is_cut =
      has_one_of(values_at(gang.value("sharding", Json()), study.space, "parallel.sharding"), {"layer", "memory"});
  const bool is_wait_free = gang.value("wait_free", Json()) == true || study.is_searched("parallel.wait_free");
  if (gang.value("op", Json()) == "bsp" && (is_cut || is_wait_free))
    faults.clash(kScaling, "no shard of the server has the whole gradient, of which gains are measured",
                 join("trial.parallel", is_cut ? "sharding" : "wait_free"), "the shards", "write op: ar_sgd");
  const Json codec = gang.value("codec", Json());
  if (codec.is_object() && (codec.value("op", Json()) != "dense" || study.is_searched("parallel.codec.op")))
    faults.clash(kScaling, "gains are measured on gradients that travel as they are", "trial.parallel.codec",
                 "the codec", "write codec: dense");
}

}  // namespace

void check_lr_scaling(Json& trial, const Json& space, Faults& faults) {
  const Json section = trial.value("lr_scaling", Json());
  if (section.is_null()) return void(trial.erase("lr_scaling"));
  if (faults.is_bad(kScaling) || !section.is_object() || faults.is_bad("trial.parallel")) return;
  const ScalingStudy study{trial, space, values_at(section.value("op", Json()), space, "lr_scaling.op"),
                           values_at(section.value("warmup", Json()), space, "lr_scaling.warmup")};
  if (section.value("op", Json()) == "none" && !study.is_searched("lr_scaling.op"))
    return faults.at_key(kScaling, "the rate would stay as it is", "remove it, or write op: linear");
  refuse_without_batches(study, faults);
  refuse_idle_keys(study, faults);
  refuse_second_warmup(study, faults);
  refuse_fp16(study, faults);
  if (trial.contains("parallel")) check_with_ranks(study, faults);
}

}  // namespace dlrun::spec
