// SPDX-License-Identifier: Apache-2.0
// Checks of `data.partition` against the rest of the trial: there are ranks to deal examples out to, the method can
// stand it, and the partition begins before the trial ends.
#include <fmt/format.h>

#include <algorithm>

#include "dataset/partition_section.hpp"
#include "spec/gang_parts.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kPartition = "trial.data.partition";

bool has_partition(const Json& trial) { return trial["data"].is_object() && trial["data"].contains("partition"); }

std::string place_of(const char* key) { return join(kPartition, key); }

/// The fewest epochs that a trial has of the policy itself, beside the epochs of all.
void check_warmup(const Json& trial, const Json& space, Faults& faults) {
  const Json& partition = trial["data"]["partition"];
  if (!partition.contains("importance") || !trial["epochs"].is_number_integer()) return;
  for (const Json& warmup : values_in_study(trial, space, "data.partition.warmup_epochs")) {
    if (!warmup.is_number_integer() || warmup < trial["epochs"]) continue;
    return faults.at(place_of("warmup_epochs"),
                     fmt::format("policy {} never begins: a warm-up of {} epochs, of {} in all",
                                 partition["policy"].get<std::string>(), to_text(warmup), to_text(trial["epochs"])),
                     "write a smaller warmup_epochs (10 if nothing is said), or more epochs");
  }
}

/// Ranks of ssp wait for the slowest one, and one with fewer batches is through with them early.
void check_method(const Json& trial, const Json& space, Faults& faults) {
  const std::vector<Json> policies = values_in_study(trial, space, "data.partition.policy");
  const bool is_skewed = std::find(policies.begin(), policies.end(), "dirichlet") != policies.end();
  if (is_skewed && Parts(trial, space).may_be("op", parallel::Ssp::kName))
    faults.clash(place_of("policy"),
                 "ssp waits for the slowest rank, and ranks of dirichlet have more and fewer batches", kParts,
                 "the ranks", "write another method, or policy: stratified");
}

void check_loss(const Json& trial, const Json& space, Faults& faults) {
  if (Parts(trial, space).may_be("on_loss", "elastic"))
    faults.clash(join(kParts, "on_loss"), "a rank that is lost takes its examples with it", kPartition, "the partition",
                 "write on_loss: restart, or remove the partition");
}

void check_ranks(const Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  const std::int64_t most = Parts(trial, space).most_ranks();
  if (most > examples)
    faults.at(kPartition, fmt::format("there are {} training examples for {} ranks", examples, most),
              "write fewer ranks");
}

}  // namespace

void check_partition(const Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  if (!has_partition(trial) || faults.is_bad(kPartition) || faults.is_bad(kParts)) return;
  check_warmup(trial, space, faults);
  if (trial.value("parallel", Json()).is_null()) return;
  check_method(trial, space, faults);
  check_loss(trial, space, faults);
  check_ranks(trial, space, examples, faults);
}

void check_idle_partition(const Json& trial, const Json& space, Faults& faults) {
  if (!has_partition(trial) || faults.is_bad(kPartition) || faults.is_bad(kParts)) return;
  const bool has_ranks = !trial.value("parallel", Json()).is_null();
  if (has_ranks && Parts(trial, space).most_ranks() > 1) return;
  faults.at_key(kPartition,
                has_ranks ? "one rank has all examples" : "there are no ranks that would have different examples",
                "write parallel: {op: ar_sgd, ranks: 4} beside data");
}

}  // namespace dlrun::spec
