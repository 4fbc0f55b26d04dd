// SPDX-License-Identifier: Apache-2.0
// Checks of the parts of `parallel:`: sharding, wait-free overlap, local aggregation. A part that changes nothing in
// any trial of the study is an error, and so is one that a trial's optimizer or clipping cannot stand.
#include <fmt/format.h>

#include <algorithm>

#include "parallel/codec.hpp"
#include "recipe/optimizer.hpp"
#include "spec/gang_parts.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

/// Settings without effect.
void refuse_idle_parts(const Parts& parts, Faults& faults) {
  const auto idle = [&](const char* key, const char* why, const char* help) {
    if (parts.is_given(key, faults)) faults.at_key(join(kParts, key), why, help);
  };
  if (!parts.may_cut()) idle("servers", "the weights are not cut for servers", "write sharding: layer, or memory");
  if (!parts.may_be("sharding", "memory"))
    idle("shard_bytes", "only sharding memory cuts by size", "write sharding: memory");
  if (!parts.may_be_wait_free())
    idle("bucket_bytes", "without wait_free all gradients are summed together", "write wait_free: true");
  if (parts.may_cut() && parts.most_servers() == 1 && !parts.may_be_wait_free())
    idle("sharding", "one server has all parts, and they come together", "write servers: 2, or wait_free: true");
  const bool sends_gradients = parts.may_step_at_server() || parts.may_be("op", parallel::ArSgd::kName);
  if (parts.may_be_wait_free() && !sends_gradients)
    idle("wait_free", "ranks send changes of weights, which a rank's optimizer makes all at once",
         "write momentum: server");
  for (const Json& size : parts.values("aggregate")) {
    if (size.is_number_integer() && size > parts.most_ranks())
      return idle("aggregate", "there are not so many ranks", "aggregate is a number of ranks, as a rule of one host");
  }
}

/// Rounds that end without some gradients are one server's to count, and what a rank has packed is gone with them.
void refuse_dropping(const Parts& parts, Faults& faults) {
  const std::vector<Json> counts = parts.values("drop_slowest");
  const auto drops = [](const Json& count) { return count.is_number_integer() && count > 0; };
  if (std::none_of(counts.begin(), counts.end(), drops)) return;
  const std::string place = join(kParts, "drop_slowest");
  for (const Json& count : counts) {
    if (drops(count) && count >= parts.fewest_ranks())
      return faults.at(place, "a round needs a gradient: fewer than there are ranks can be dropped", "write fewer");
  }
  if (parts.may_cut())
    faults.clash(place, "several servers would drop different gradients", join(kParts, "sharding"), "the servers",
                 "write sharding: none");
  if (parts.may_be_above("aggregate", 1))
    faults.clash(place, "ranks that sum first wait for each other", join(kParts, "aggregate"), "the sums",
                 "write aggregate: 1");
  if (parts.may_be("codec.op", parallel::Dgc::kName))
    faults.clash(place, "dgc has taken from a rank's rest what a dropped gradient carried", join(kParts, "codec"),
                 "the codec", "write codec: dense, or bf16");
}

/// A server's shard knows neither the rest of a tensor nor the rest of the gradient.
void refuse_partial(const Parts& parts, Faults& faults) {
  if (!parts.may_step_at_server() || !(parts.may_cut() || parts.may_be_wait_free())) return;
  const std::string place = join(kParts, parts.may_cut() ? "sharding" : "wait_free");
  const std::vector<Json> methods = parts.values_of("optimizer.op"), norms = parts.values_of("clip_norm");
  for (const std::string& method : recipe::methods_by_tensor()) {
    if (!parts.may_be("sharding", "memory") || std::find(methods.begin(), methods.end(), method) == methods.end())
      continue;
    faults.clash(place, fmt::format("{} steps by whole tensors, which sharding memory cuts", method), "trial.optimizer",
                 "the optimizer", "write sharding: layer, or momentum: worker");
    break;
  }
  const bool is_clipped_before = parts.values("codec.op") == std::vector<Json>{parallel::Dgc::kName} &&
                                 !parts.may_be("codec.clipping", false) && !parts.may_be_wait_free();
  if (!is_clipped_before && std::any_of(norms.begin(), norms.end(), [](const Json& norm) { return !norm.is_null(); }))
    faults.clash(place, "no shard of the server has the whole gradient, whose norm is to be clipped", "trial.clip_norm",
                 "the clipping", "write momentum: worker, or clip_value, or leave the server whole");
}

}  // namespace

void check_gang_parts(const Json& trial, const Json& space, Faults& faults) {
  refuse_partial(Parts(trial, space), faults);
  refuse_dropping(Parts(trial, space), faults);
  check_codec(trial, space, faults);
}

void check_idle_parts(const Json& trial, const Json& space, Faults& faults) {
  if (trial.value("parallel", Json()).is_null() || faults.is_bad(kParts) || faults.is_bad("trial.cluster")) return;
  refuse_idle_parts(Parts(trial, space), faults);
  check_idle_codec(trial, space, faults);
}

}  // namespace dlrun::spec
