// SPDX-License-Identifier: Apache-2.0
// Checks of `parallel:` and `cluster:` beyond the table of keys: nothing stands there without effect, or beside a
// setting that a gang does not know.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "recipe/parallel.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kGang = "trial.parallel", kCluster = "trial.cluster";

/// The usual machines, which a variant of a gang's trial still names.
bool is_usual_cluster(const Json& cluster) {
  parallel::ClusterConfig config;
  Json usual = options::write_fields(config, parallel::cluster_fields());
  usual["op"] = cluster.value("op", Json());
  return cluster == usual;
}

/// A setting of one machine's training, and what a gang does in its place.
struct Stranger {
  const char* key;
  Json usual;
  const char* why;
};

const std::vector<Stranger>& strangers() {
  static const std::vector<Stranger> all = {
      {"accumulate", 1, "the ranks' batches make one step already"},
      {"ema", Json(), "the ranks' weights are averaged by the method"},
      {"swa", Json(), "the ranks' weights are averaged by the method"},
      {"warm_start", Json(), "ranks begin with the same fresh weights, or those of init"}};
  return all;
}

bool is_usual(const Json& trial, const Stranger& one) {
  const Json found = trial.value(one.key, Json());
  if (found == one.usual || found.is_null()) return true;
  const char* needed = one.key == std::string("ema") ? "decay" : "start";  // key of sections that are off without it
  const bool is_section = found.is_object() && one.key != std::string("warm_start");
  return is_section && found.value(needed, Json()).is_null();
}

void refuse_strangers(const Json& trial, const Json& space, Faults& faults) {
  for (const Stranger& one : strangers()) {
    const std::string path = join("trial", one.key);
    const bool is_there = !is_usual(trial, one) || is_set(space, one.key);
    if (is_there)
      faults.clash(path, fmt::format("several ranks have no '{}': {}", one.key, one.why), kGang, "ranks",
                   "remove one of the two");
  }
  if (trial.value("precision", Json()) == "fp16" || is_set(space, "precision"))
    faults.clash("trial.precision", "several ranks have no scale of the loss, which fp16 needs", kGang, "ranks",
                 "write precision: fp32 or bf16");
}

/// The fewest ranks that a trial of the study has.
std::int64_t fewest_ranks(const Json& trial, const Json& space) {
  std::int64_t fewest = trial["parallel"].value("ranks", std::int64_t(1));
  for (const Json& parameter : space) {
    if (parameter["at"] != "parallel.ranks") continue;
    if (parameter.contains("low") && parameter["low"].is_number()) fewest = parameter["low"].get<std::int64_t>();
    for (const Json& choice : parameter.value("choices", Json::array())) {
      if (choice.is_number_integer()) fewest = std::min(fewest, choice.get<std::int64_t>());
    }
  }
  return fewest;
}

void check_stragglers(const Json& trial, const Json& space, Faults& faults) {
  const Json& stragglers = trial["cluster"]["stragglers"];
  const std::int64_t ranks = fewest_ranks(trial, space);
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; stragglers.is_array() && i < stragglers.size(); ++i) {
    const std::string path = join(join(join(kCluster, "stragglers"), std::to_string(i)), "rank");
    if (faults.is_bad(path) || !stragglers[i]["rank"].is_number_integer()) continue;
    const auto rank = stragglers[i]["rank"].get<std::int64_t>();
    if (rank >= ranks)
      faults.at(path, fmt::format("there is no rank {}, for there are {}", rank, ranks), "ranks count from 0");
    if (!seen.insert(rank).second) faults.at(path, fmt::format("rank {} is named twice", rank));
  }
}

void check_idle(const Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  if (is_set(space, "batch_size") || is_set(space, "parallel.ranks") || !trial["batch_size"].is_number_integer())
    return;
  const auto size = trial["batch_size"].get<std::int64_t>(), batches = (examples + size - 1) / size;
  const std::int64_t ranks = fewest_ranks(trial, space);
  if (examples > 0 && ranks > batches)
    faults.warn(join(kGang, "ranks"), fmt::format("an epoch has {} batches for {} ranks", batches, ranks),
                "some ranks have nothing to do");
}

}  // namespace

void check_parallel(Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  if (trial.value("parallel", Json()).is_null()) {
    if (faults.was_written(kCluster) && !is_usual_cluster(trial["cluster"]))
      faults.at_key(kCluster, "there are no ranks that would run there",
                    "write parallel: {op: bsp, ranks: 4} beside it");
    trial.erase("parallel");
    trial.erase("cluster");
    return;
  }
  if (faults.is_bad(kGang) || faults.is_bad(kCluster)) return;
  refuse_strangers(trial, space, faults);
  check_stragglers(trial, space, faults);
  check_idle(trial, space, examples, faults);
}

}  // namespace dlrun::spec
