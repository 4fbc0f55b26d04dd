// SPDX-License-Identifier: Apache-2.0
// Checks of `parallel:` and `cluster:` beyond the table of keys: nothing stands there without effect, or beside a
// setting that a gang does not know.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "dataset/batch_section.hpp"
#include "recipe/parallel.hpp"
#include "spec/gang_processes.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "warmstart/race.hpp"

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

bool is_on(const Json& trial, const char* section, const char* needed) {
  const Json found = trial.value(section, Json());
  return found.is_object() && !found.value(needed, Json()).is_null();
}

void refuse(const std::string& path, const std::string& why, Faults& faults) {
  faults.clash(path, why, kGang, "the ranks", "remove one of the two");
}

/// Does some trial of the study have this value there?
bool has_choice(const Json& trial, const Json& space, const std::string& key, const Json& value) {
  for (const Json& parameter : space) {
    const Json choices = parameter.value("choices", Json::array());
    if (parameter["at"] == key && std::find(choices.begin(), choices.end(), value) != choices.end()) return true;
  }
  return trial.value(key, Json()) == value;
}

/// Settings of one machine's training that a gang does not know.
void refuse_strangers(const Json& trial, const Json& space, Faults& faults) {
  const Json start = trial.value("warm_start", Json());
  if (trial.value("accumulate", Json(1)) != 1 || is_set(space, "accumulate"))
    refuse("trial.accumulate", "several ranks accumulate nothing: their batches make one step already", faults);
  if (is_on(trial, "ema", "decay")) refuse("trial.ema", "several ranks have no ema: their method averages", faults);
  if (is_on(trial, "swa", "start")) refuse("trial.swa", "several ranks have no swa: their method averages", faults);
  if (has_choice(trial, space, "precision", "fp16"))
    refuse("trial.precision", "several ranks have no scale of the loss, which fp16 needs", faults);
  if (start.is_object() && start.value("policy", Json()) == "resume")
    refuse("trial.warm_start.policy", "several ranks cannot resume one machine's training: take best", faults);
  else if (start.is_object() && start.value("optimizer", Json()) == "carry")
    refuse("trial.warm_start.optimizer", "several ranks have optimizers of their own: reset them", faults);
}

/// The listing drops the change that triggers: with each push triggering, nothing would be trained.
/// Where a setting is searched, its values are not looked at one by one.
void refuse_nothing(const Json& gang, const Json& space, Faults& faults) {
  const auto is_searched = [&](const char* key) { return is_set(space, std::string("parallel.") + key); };
  const Json trigger = gang.value("trigger", Json());
  const bool drops = trigger.is_null() ? gang.value("variant", Json()) == "literal" : trigger == "dropped";
  if (drops && gang.value("pushes", Json()) == 1 && !is_searched("trigger") && !is_searched("variant"))
    faults.at(join(kGang, "pushes"), "each change that triggers is dropped, as the listing has it, and all would",
              "write pushes: 4, or trigger: counts");
  const bool has_alpha = !gang.value("alpha", Json()).is_null() || is_searched("alpha");
  if (gang.value("mixing", Json()) == false && has_alpha && !is_searched("mixing"))
    faults.at(join(kGang, "alpha"), "it changes nothing: with mixing: false no model is mixed in",
              "remove one of the two");
}

/// The fewest ranks that a trial of the study has.
std::int64_t fewest_ranks(const Json& trial, const Json& space) {
  const auto base = trial["parallel"].value("ranks", std::int64_t(1));
  std::int64_t fewest = is_set(space, "parallel.ranks") ? std::numeric_limits<std::int64_t>::max() : base;
  for (const Json& parameter : space) {
    if (parameter["at"] != "parallel.ranks") continue;
    if (parameter.contains("low") && parameter["low"].is_number()) fewest = parameter["low"].get<std::int64_t>();
    for (const Json& choice : parameter.value("choices", Json::array())) {
      if (choice.is_number_integer()) fewest = std::min(fewest, choice.get<std::int64_t>());
    }
  }
  return fewest == std::numeric_limits<std::int64_t>::max() ? base : fewest;
}

/// Calls `check` with each of the ranks that a list of the cluster names, and its place.
template <class Check>
void for_named_ranks(const Json& trial, const std::string& list, const Faults& faults, const Check& check) {
  const Json rows = trial["cluster"].value(list, Json::array());
  for (std::size_t i = 0; rows.is_array() && i < rows.size(); ++i) {
    const std::string path = join(join(join(kCluster, list), std::to_string(i)), "rank");
    if (!faults.is_bad(path) && rows[i].is_object()) check(rows[i], path);
  }
}

void check_named_ranks(const Json& trial, const Json& space, Faults& faults) {
  const std::int64_t ranks = fewest_ranks(trial, space);
  for (const char* list : {"stragglers", "slowdowns", "pauses", "failures"}) {
    for_named_ranks(trial, list, faults, [&](const Json& row, const std::string& path) {
      const Json rank = row.value("rank", Json());
      if (rank.is_number_integer() && rank >= ranks)
        faults.at(path, fmt::format("there is no rank {}, for there are {}", rank.get<std::int64_t>(), ranks),
                  "ranks count from 0");
      if (row.value("factor", Json()) == 1)
        faults.at(path, rank.is_null() ? "no rank is slower by a factor of 1"
                                       : fmt::format("rank {} is no slower than the others", rank.get<std::int64_t>()));
    });
  }
}

void check_twice(const Json& trial, Faults& faults) {
  std::set<std::int64_t> seen;
  for_named_ranks(trial, "stragglers", faults, [&](const Json& row, const std::string& path) {
    const Json rank = row.value("rank", Json());
    if (rank.is_number_integer() && !seen.insert(rank.get<std::int64_t>()).second)
      faults.at(path, fmt::format("rank {} is named twice", rank.get<std::int64_t>()));
  });
}

void check_losses(const Json& trial, Faults& faults) {
  const Json& machines = trial["cluster"];
  if (!recipe::loses_ranks(machines) && faults.was_written(join(kCluster, "restart")))
    faults.at_key(join(kCluster, "restart"), "no rank is lost", "write mtbf: 1h, or failures: [{rank: 1, at: 10s}]");
  if (trial["parallel"].value("on_loss", Json()) != "elastic") return;
  for_named_ranks(trial, "failures", faults, [&](const Json& row, const std::string& path) {
    if (row.value("rank", Json()) == 0)
      faults.at(path, "with on_loss: elastic rank 0 takes in the states of the others, and is never lost",
                "name another rank, or write on_loss: restart");
  });
}

void check_idle(const Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  if (is_set(space, "batch_size") || is_set(space, "parallel.ranks") || !trial["batch_size"].is_number_integer())
    return;
  const bool drops = trial["data"].is_object() && trial["data"].value("drop_last", Json()) == true;
  const std::int64_t batches = dataset::batches_of(examples, trial["batch_size"].get<std::int64_t>(), drops);
  const std::int64_t ranks = fewest_ranks(trial, space);
  if (examples > 0 && ranks > batches)
    faults.warn(join(kGang, "ranks"),
                fmt::format("an epoch has {} batch{} for {} ranks", batches, batches == 1 ? "" : "es", ranks),
                "some ranks have nothing to do");
}

/// A record says what ranks out of step do.
void check_record(const Json& study, Faults& faults) {
  if (study["trial"]["cluster"].value("record", Json()) != true) return;
  const Json gang = study["trial"].value("parallel", Json());
  if (gang.is_object() && gang.value("on_loss", Json()) == "elastic")
    faults.clash(join(kCluster, "record"), "what ranks do that go on without a lost one cannot be replayed",
                 join(kGang, "on_loss"), "the ranks go on", "write record: false, or on_loss: restart");
  else if (!has_racing_ranks(study))
    faults.at_key(join(kCluster, "record"), "ranks that take their steps together give the same results without it",
                  "remove it");
}

/// Gloo sums between processes of one host: its connections prove nothing, and it ends as one of them does.
void check_gloo(const Json& study, bool is_spread, Faults& faults) {
  const Json gang = study["trial"].value("parallel", Json());
  const std::string path = join(kGang, "reduce");
  if (!gang.is_object() || gang.value("reduce", Json()) != parallel::kGloo) return;
  if (!has_processes(study))
    faults.at_key(path, "on a virtual cluster there are no processes between which Gloo could sum",
                  "write cluster: processes, or reduce: ring");
  else if (is_spread)
    faults.clash(path, "Gloo's connections do not prove the study's key, so they stay on one host", "resources.nodes",
                 "several hosts", "write reduce: ring");
  else if (gang.value("on_loss", Json()) == "elastic")
    faults.clash(path, "Gloo cannot go on without a rank that is lost", join(kGang, "on_loss"), "the ranks go on",
                 "write reduce: ring, or on_loss: restart");
  else if (gang["codec"].is_object() && gang["codec"].value("op", Json()) == parallel::Bf16::kName)
    faults.clash(path, "Gloo sums in float32", join(kGang, "codec"), "the shorter numbers", "write reduce: ring");
}

}  // namespace

void check_parallel(Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  if (trial.value("parallel", Json()).is_null()) {
    if (faults.was_written(kCluster) && !faults.is_bad(kCluster) && !is_usual_cluster(trial["cluster"]))
      faults.at_key(kCluster, "there are no ranks that would run there",
                    "write parallel: {op: bsp, ranks: 4} beside it");
    trial.erase("parallel");
    trial.erase("cluster");
    return;
  }
  if (faults.is_bad(kGang) || faults.is_bad(kCluster)) return;
  refuse_strangers(trial, space, faults);
  refuse_nothing(trial["parallel"], space, faults);
  check_named_ranks(trial, space, faults);
  check_twice(trial, faults);
  check_losses(trial, faults);
  check_idle(trial, space, examples, faults);
  check_gang_parts(trial, space, faults);
}

void check_gang_device(const Json& study, Faults& faults) {
  const Json machines = study["trial"].value("cluster", Json());
  const Json resources = study["resources"].is_object() ? study["resources"] : Json::object();
  const Json device = resources.value("device", Json()), nodes = resources.value("nodes", Json());
  const bool is_spread = nodes.is_number_integer() && nodes > 1;
  const Json gang = study["trial"].value("parallel", Json());
  if (gang.is_object() && gang.value("on_loss", Json()) == "elastic" && !has_processes(study) &&
      !recipe::loses_ranks(machines))
    faults.at_key(join(kGang, "on_loss"), "on this virtual cluster no rank is lost",
                  "write cluster: processes, or cluster: {mtbf: 1h}, or remove it");
  check_gloo(study, is_spread, faults);
  if (!machines.is_object() || machines.value("op", Json()) != "processes") return;
  check_record(study, faults);
  if (!is_spread && machines.value("encrypt", Json()) == false)
    faults.at_key(join(kCluster, "encrypt"), "on one host nothing that ranks say goes over a network",
                  "remove it, or write resources: {nodes: 2}");
  if (is_spread && gang.is_object() && gang.value("ranks", nodes) < nodes)
    faults.at("resources.nodes", fmt::format("{} hosts are more than there are ranks", nodes.get<int>()),
              "each host has at least one");
  if (device.is_string() && device.get<std::string>().starts_with("cuda"))
    faults.clash("resources.device", "ranks in processes compute on CPUs so far", kCluster, "the processes",
                 "write device: cpu");
}

void check_final_of_gang(const Json& study, Faults& faults) {
  const Json final = study.value("final", Json());
  const Json sets = final.is_object() ? final.value("set", Json()) : Json();
  const bool stays =
      !study["trial"].value("parallel", Json()).is_null() && !(sets.is_object() && sets.contains("parallel"));
  if (!stays || !final.is_object() || !final["warm_start"].is_object()) return;
  if (final["warm_start"].value("policy", Json()) == "resume")
    refuse("final.warm_start.policy", "several ranks cannot resume a training: take best", faults);
  else if (final["warm_start"].value("optimizer", Json()) == "carry")
    refuse("final.warm_start.optimizer", "several ranks have optimizers of their own: reset them", faults);
  const auto race = warmstart::race_of(final["warm_start"]);
  for (const std::string& arm : race ? race->arms : std::vector<std::string>()) {
    if (arm == "resume" || arm == warmstart::kFinish)
      return refuse("final.warm_start.race.arms", "several ranks cannot go on with a training: take best", faults);
  }
}

}  // namespace dlrun::spec
