// SPDX-License-Identifier: Apache-2.0
// Checks of the parts of `parallel:`: sharding, wait-free overlap, local aggregation. A part that changes nothing in
// any trial of the study is an error, and so is one that a trial's optimizer or clipping cannot stand.
#include <fmt/format.h>

#include <algorithm>

#include "parallel/methods.hpp"
#include "recipe/optimizer.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kPart = "trial.parallel";

/// Values that a place has in the study's trials: the base's, unless parameters always set it, and theirs, of a range
/// the ends.
std::vector<Json> values_in_study(const Json& trial, const Json& space, const std::string& place) {
  std::vector<Json> values;
  bool is_always_set = false;
  for (const Json& parameter : space) {
    if (parameter["at"] != place) continue;
    for (const char* key : {"low", "high", "value"}) {
      if (parameter.contains(key)) values.push_back(parameter[key]);
    }
    for (const Json& choice : parameter.value("choices", Json::array())) values.push_back(choice);
    is_always_set = is_always_set || !parameter["when"].is_object();
  }
  std::string pointer = "/" + place;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const Json::json_pointer base(pointer);
  if (!is_always_set) values.push_back(trial.contains(base) ? trial[base] : Json());
  return values;
}

/// The parts of a gang over all trials of a study.
class Parts {
 public:
  Parts(const Json& trial, const Json& space) : trial_(trial), space_(space) {}

  std::vector<Json> values(const char* key) const {
    return values_in_study(trial_, space_, std::string("parallel.") + key);
  }
  bool may_be(const char* key, const Json& value) const {
    const std::vector<Json> all = values(key);
    return std::find(all.begin(), all.end(), value) != all.end();
  }
  bool may_cut() const { return may_be("sharding", "layer") || may_be("sharding", "memory"); }
  bool may_be_wait_free() const { return may_be("wait_free", true); }

  /// Whether the server may keep the optimiser's state; a method's default holds where nothing is said.
  bool may_step_at_server() const {
    const bool is_written = trial_["parallel"].contains("momentum") || is_set(space_, "parallel.momentum");
    if (!is_written) return may_be("op", parallel::Bsp::kName) && parallel::Bsp().momentum == "server";
    const bool has_choice =
        may_be("op", parallel::Bsp::kName) || may_be("op", parallel::Asp::kName) || may_be("op", parallel::Ssp::kName);
    return has_choice && may_be("momentum", "server");
  }
  /// Servers of the trial that has most of them.
  std::int64_t most_servers() const {
    std::int64_t most = 1;
    for (const Json& value : values("servers"))
      most = std::max(most, value.is_null() ? hosts() : value.get<std::int64_t>());
    return most;
  }
  std::int64_t most_ranks() const {
    std::int64_t most = 1;
    for (const Json& value : values("ranks")) most = std::max(most, value.is_null() ? most : value.get<std::int64_t>());
    return most;
  }

 private:
  std::int64_t hosts() const {
    const std::int64_t each = trial_["cluster"].value("ranks_per_host", std::int64_t(1));
    return (most_ranks() - 1) / each + 1;
  }

  const Json& trial_;
  const Json& space_;
};

bool is_given(const char* key, const Json& space, const Faults& faults) {
  return faults.was_written(join(kPart, key)) || is_set(space, std::string("parallel.") + key);
}

/// Settings without effect.
void refuse_idle_parts(const Parts& parts, const Json& space, Faults& faults) {
  const auto idle = [&](const char* key, const char* why, const char* help) {
    if (is_given(key, space, faults)) faults.at_key(join(kPart, key), why, help);
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

/// A server's shard knows neither the rest of a tensor nor the rest of the gradient.
void refuse_partial(const Parts& parts, const Json& trial, const Json& space, Faults& faults) {
  if (!parts.may_step_at_server() || !(parts.may_cut() || parts.may_be_wait_free())) return;
  const std::string place = join(kPart, parts.may_cut() ? "sharding" : "wait_free");
  const std::vector<Json> methods = values_in_study(trial, space, "optimizer.op"),
                          norms = values_in_study(trial, space, "clip_norm");
  for (const std::string& method : recipe::methods_by_tensor()) {
    if (!parts.may_be("sharding", "memory") || std::find(methods.begin(), methods.end(), method) == methods.end())
      continue;
    faults.clash(place, fmt::format("{} steps by whole tensors, which sharding memory cuts", method), "trial.optimizer",
                 "the optimizer", "write sharding: layer, or momentum: worker");
    break;
  }
  if (std::any_of(norms.begin(), norms.end(), [](const Json& norm) { return !norm.is_null(); }))
    faults.clash(place, "no shard of the server has the whole gradient, whose norm is to be clipped", "trial.clip_norm",
                 "the clipping", "write momentum: worker, or clip_value, or leave the server whole");
}

}  // namespace

void check_gang_parts(const Json& trial, const Json& space, Faults& faults) {
  refuse_partial(Parts(trial, space), trial, space, faults);
}

void check_idle_parts(const Json& trial, const Json& space, Faults& faults) {
  if (trial.value("parallel", Json()).is_null() || faults.is_bad(kPart) || faults.is_bad("trial.cluster")) return;
  refuse_idle_parts(Parts(trial, space), space, faults);
}

}  // namespace dlrun::spec
