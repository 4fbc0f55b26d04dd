// SPDX-License-Identifier: Apache-2.0
// The pruner against the epochs of a trial and the number of trials.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pruners/halving_pruner.hpp"
#include "pruners/ladder.hpp"
#include "spec/pruner_section.hpp"
#include "spec/sampler_section.hpp"
#include "spec/search_section.hpp"
#include "spec/space_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kPruner = "search.pruner";

/// Fills in the whole budget. False: there is nothing to compare with.
bool check_budgets(Json& pruner, const Json& epochs, Faults& faults) {
  if (!pruner.contains("max_budget") || !epochs.is_number()) return false;
  Json& most = pruner["max_budget"];
  if (most.is_null()) most = epochs;
  if (faults.is_bad(kPruner + ".max_budget") || faults.is_bad(kPruner + ".min_budget")) return false;
  if (most != epochs) {
    faults.clash(kPruner + ".max_budget",
                 fmt::format("max_budget is {}, but a trial has {} epochs", to_text(most), to_text(epochs)),
                 "trial.epochs", "the epochs of a trial", "they must be equal; leave max_budget out");
  } else if (pruner["min_budget"] > most) {
    faults.at(kPruner + ".min_budget", fmt::format("min_budget {} is above the {} epochs of a trial",
                                                   to_text(pruner["min_budget"]), to_text(most)));
  } else {
    return true;
  }
  return false;
}

void check_interval(const Json& pruner, Faults& faults) {
  if (!pruner.contains("interval") || faults.is_bad(kPruner + ".interval")) return;
  const pruners::EvenLadder ladder{.min_budget = pruner["min_budget"].get<std::int64_t>(),
                                   .max_budget = pruner["max_budget"].get<std::int64_t>(),
                                   .interval = pruner["interval"].get<std::int64_t>()};
  const std::int64_t rungs = pruners::count_even_rungs(ladder);
  if (rungs <= pruners::kMostRungs) return;
  const std::int64_t enough = (ladder.max_budget - ladder.min_budget) / (pruners::kMostRungs - 1) + 1;
  faults.at(kPruner + ".interval",
            fmt::format("an interval of {} makes {} rungs, but a trial may have {}", ladder.interval, rungs,
                        pruners::kMostRungs),
            fmt::format("write interval: {}", enough));
}

void check_bounds(const Json& pruner, Faults& faults) {
  if (faults.is_bad(kPruner + ".lower") || faults.is_bad(kPruner + ".upper")) return;
  const Json& lower = pruner["lower"];
  const Json& upper = pruner["upper"];
  if (lower.is_null() && upper.is_null()) {
    faults.at(kPruner, "a threshold without bounds stops nothing", "write lower: or upper:");
  } else if (!lower.is_null() && !upper.is_null() && lower > upper) {
    faults.clash(kPruner + ".lower", fmt::format("lower {} is above upper {}", to_text(lower), to_text(upper)),
                 kPruner + ".upper", "the upper bound");
  }
}

void check_patience(const Json& pruner, Faults& faults) {
  const std::string path = kPruner + ".patience";
  if (faults.is_bad(path) || !pruner["patience"].is_number() || pruner["patience"] < pruner["max_budget"]) return;
  faults.at(path, fmt::format("a patience of {} never runs out in the {} epochs of a trial",
                              to_text(pruner["patience"]), to_text(pruner["max_budget"])));
}

/// Something must be left to save after the first look.
void check_wilcoxon(const Json& pruner, const Json& trial, Faults& faults) {
  const auto number = [&](const char* key) {
    return trial.contains(key) && trial[key].is_number() ? trial[key].get<int>() : 1;
  };
  const int members = number("replicates") * number("folds");
  if (faults.is_bad(kPruner) || members > pruner["min_members"]) return;
  faults.at(kPruner,
            fmt::format("a trial of {} member{} is over when wilcoxon first looks, after {}", members,
                        members == 1 ? "" : "s", to_text(pruner["min_members"])),
            "write trial: {folds: 10}, or replicates: 10");
}

/// Places that an heir may not change: its donor's weights, optimiser state and count of steps go on.
std::string why_fixed(const std::string& at) {
  if (at == "optimizer.op" || at == "optimizer.amsgrad" || at == "optimizer.centered") {
    return "it changes the optimizer's state, which an heir takes over";
  }
  if (at == "batch_size" || at == "accumulate") return "it changes the number of steps in an epoch";
  const auto keeps = {"parallel.op",
                      "parallel.ranks",
                      "parallel.sharding",
                      "parallel.servers",
                      "parallel.shard_bytes",
                      "parallel.wait_free",
                      "parallel.codec.op",
                      "parallel.codec.rank",
                      "parallel.codec.least",
                      "parallel.codec.momentum_correction",
                      "parallel.codec.error_feedback",
                      "parallel.codec.warm_start"};
  if (std::find(keeps.begin(), keeps.end(), at) != keeps.end()) return "it changes what the ranks keep";
  if (at == "precision") return "it changes what is kept beside the weights";
  if (at == "data.split.fold") return "an heir would be measured on what its donor has trained on";
  return {};
}

/// Whether gains are of single tensors in some trials, and of the whole model in others.
bool mixes_gains(const Json& study) {
  const auto values = [&](const char* key) {
    return values_in_study(study["trial"], study["space"], std::string("lr_scaling.") + key);
  };
  bool are_own = false, are_whole = false;
  for (const Json& op : values("op")) {
    for (const Json& warmup : values("warmup")) {
      const bool is_own = op == "lena" || (op != "none" && warmup == "layer_wise");
      are_own |= is_own;
      are_whole |= !is_own && op != "none";
    }
  }
  return are_own && are_whole;
}

/// Why not `at`, because of its values in this study.
std::string why_not_so(const Json& study, const std::string& at) {
  const bool is_scaling = at == "lr_scaling.op" || at == "lr_scaling.warmup";
  if (is_scaling && mixes_gains(study)) return "it changes the gains of the learning rate, which an heir takes over";
  return {};
}

void check_factors(const Json& pruner, Faults& faults) {
  const std::string path = kPruner + ".factors";
  if (faults.is_bad(path)) return;
  const Json& factors = pruner["factors"];
  const bool is_pair = factors.is_array() && factors.size() == 2 && factors[0].is_number() && factors[1].is_number();
  if (!is_pair || factors[0] >= 1 || factors[1] <= 1) {
    faults.at(path, "factors are two: one below 1 and one above", "write factors: [0.8, 1.2]");
  }
}

bool has_zero(const Json& parameter) {
  if (parameter.contains("low")) return parameter["low"] == 0;
  const Json choices = parameter.value("choices", Json::array());
  return std::find(choices.begin(), choices.end(), Json(0)) != choices.end();
}

/// A population is never filled from fewer points.
void check_points(const Json& study, Faults& faults) {
  const Json& population = study["search"]["pruner"]["population"];
  if (faults.list.has_errors() || !population.is_number()) return;
  const auto points = make_space(study["space"], study.value("constraints", Json())).cardinality();
  if (!points || *points >= population.get<std::int64_t>()) return;
  faults.at(kPruner,
            fmt::format("a population of {} needs as many points, but the space has {}", to_text(population), *points),
            fmt::format("write population: {}", *points));
}

/// Every rung is an interval after the one before it.
void check_even(const Json& pruner, Faults& faults) {
  if (faults.is_bad(kPruner + ".interval")) return;
  const auto first = pruner["min_budget"].get<std::int64_t>(), interval = pruner["interval"].get<std::int64_t>();
  const auto last = pruner["max_budget"].get<std::int64_t>();
  if (first >= last || (last - first) % interval == 0) return;
  const std::int64_t fits = first + (last - first) / interval * interval;
  faults.clash(kPruner + ".interval",
               fmt::format("rungs every {} epochs from epoch {} on end at {} or {}, but a trial has {} epochs",
                           interval, first, fits, fits + interval, last),
               "trial.epochs", "the epochs of a trial", fmt::format("write epochs: {}", fits + interval));
}

/// The first rung is one interval from the start, where nothing else is said.
void fill_first_rung(Json& pruner) {
  if (pruner["min_budget"].is_null()) pruner["min_budget"] = pruner["interval"];
}

void check_population(const Json& study, Faults& faults) {
  const Json& pruner = study["search"]["pruner"];
  const auto op = pruner["op"].get<std::string>();
  if (op == "pbt") check_factors(pruner, faults);
  for (const Json& parameter : study["space"]) {
    if (!parameter.is_object() || !parameter["at"].is_string() || faults.is_bad(path_of(parameter))) continue;
    const auto at = parameter["at"].get<std::string>();
    const std::string fixed = why_fixed(at), why = fixed.empty() ? why_not_so(study, at) : fixed;
    if (!why.empty()) {
      faults.at_key(path_of(parameter),
                    fmt::format("{} cannot search '{}': {}", op, parameter["name"].get<std::string>(), why),
                    "fix it, or take another pruner");
    }
    if (parameter["at"] == "optimizer.momentum" && has_zero(parameter)) {
      faults.at_key(path_of(parameter),
                    op + " cannot search a momentum of 0: the optimizer keeps no state then, which an heir takes over",
                    parameter.contains("low") ? "write low: 0.01" : "leave 0 out");
    }
  }
  const Json& limit = study["limits"]["trials"];
  if (limit.is_number() && !faults.is_bad("limits.trials") && !faults.is_bad(kPruner) &&
      limit != pruner["population"]) {
    faults.clash(
        "limits.trials",
        fmt::format("{} trials, but {} trains a population of {}", to_text(limit), op, to_text(pruner["population"])),
        kPruner, "the pruner", "leave the limit out; heirs do not count");
  }
}

pruners::Ladder ladder_of(const Json& pruner) {
  return {.eta = pruner["eta"].get<int>(),
          .min_budget = pruner["min_budget"].get<std::int64_t>(),
          .max_budget = pruner["max_budget"].get<std::int64_t>()};
}

void check_bracket(Json& pruner, Faults& faults) {
  const std::string path = kPruner + ".bracket";
  if (faults.is_bad(path) || faults.is_bad(kPruner + ".eta")) return;
  if (pruner["bracket"].is_null()) {
    pruner["bracket"] = pruners::halving_bracket({.ladder = ladder_of(pruner)}).front().trials;
  } else if (pruner["bracket"] < pruner["eta"]) {
    faults.at(path, fmt::format("of a bracket of {} none goes on with eta {}", to_text(pruner["bracket"]),
                                to_text(pruner["eta"])));
  }
}

/// BOHB is a pruner and a sampler.
void check_bohb(Json& search, Faults& faults) {
  Json& sampler = search["sampler"];
  if (sampler.is_null() || faults.is_bad("search.sampler")) return;
  if (sampler == "auto") {
    sampler = "tpe";
  } else if (sampler != "tpe" && sampler != "tpe_univariate") {
    faults.clash("search.sampler",
                 fmt::format("bohb is hyperband with tpe, but sampler is {}", document::quote(sampler_name(search))),
                 kPruner, "bohb", "leave sampler out, or write pruner: hyperband");
  }
}

void warn_of_one_rung(const Json& pruner, Faults& faults) {
  if (pruner["min_budget"] != pruner["max_budget"]) return;
  faults.warn(kPruner, fmt::format("the first rung is the whole trial of {} epoch{}, so nothing is ever pruned",
                                   to_text(pruner["max_budget"]), pruner["max_budget"] == 1 ? "" : "s"));
}

/// The last bracket should not be cut short.
void warn_of_cut(std::int64_t trials, const std::vector<std::int64_t>& brackets, Faults& faults) {
  const std::int64_t pass = std::accumulate(brackets.begin(), brackets.end(), std::int64_t(0));
  std::int64_t whole = trials / pass * pass;  // trials of whole brackets
  std::size_t next = 0;
  while (whole + brackets[next] <= trials) whole += brackets[next++];
  if (whole == trials) return;
  faults.warn("limits.trials", fmt::format("a bracket of {} is cut down to {}", brackets[next], trials - whole),
              whole > 0 ? fmt::format("write {}, or {}", whole, whole + brackets[next])
                        : fmt::format("write {}", brackets[next]));
}

}  // namespace

bool has_heirs(const Json& pruner) {
  return pruner.is_object() && (pruner.value("op", "") == "pbt" || pruner.value("op", "") == "pb2");
}

void check_pruner(Json& study, Faults& faults) {
  Json& pruner = study["search"]["pruner"];
  if (!pruner.is_object() || faults.is_bad(kPruner + ".op")) return;
  if (pruner["op"] == "wilcoxon") check_wilcoxon(pruner, study["trial"], faults);
  if (has_heirs(pruner)) check_population(study, faults);
  if (pruner["op"] == "threshold") check_bounds(pruner, faults);
  if (pruner["op"] == "bohb") check_bohb(study["search"], faults);
  if (has_heirs(pruner)) fill_first_rung(pruner);
  if (!check_budgets(pruner, study["trial"]["epochs"], faults)) return;
  check_interval(pruner, faults);
  if (has_heirs(pruner)) check_even(pruner, faults);
  if (has_heirs(pruner)) check_points(study, faults);
  if (pruner["op"] == "patience") check_patience(pruner, faults);
  if (pruner["op"] == "successive_halving") check_bracket(pruner, faults);
  warn_of_one_rung(pruner, faults);
}

std::vector<std::int64_t> brackets_of(const Json& pruner, const Faults& faults) {
  if (!pruner.is_object() || faults.list.has_errors()) return {};
  if (has_heirs(pruner)) return {pruner["population"].get<std::int64_t>()};
  if (pruner["op"] == "successive_halving") return {pruner["bracket"].get<std::int64_t>()};
  const auto op = pruner["op"].get<std::string>();
  if (op != "hyperband" && op != "bohb") return {};
  std::vector<std::int64_t> trials;
  for (const auto& plan : pruners::hyperband_brackets(ladder_of(pruner), op.c_str())) trials.push_back(plan.trials);
  return trials;
}

void check_pruner_limits(const Json& study, Faults& faults) {
  const Json& pruner = study["search"]["pruner"];
  const Json& limit = study["limits"]["trials"];
  if (!limit.is_number() || !pruner.is_object() || faults.is_bad(kPruner) || faults.is_bad("limits.trials")) return;
  const auto trials = limit.get<std::int64_t>();
  if (pruner.contains("startup_trials") && !is_foreign(pruner) && pruner["startup_trials"] >= trials) {
    faults.warn(kPruner + ".startup_trials", fmt::format("of {} trials none can stop before {} are complete", trials,
                                                         to_text(pruner["startup_trials"])));
  }
  const std::vector<std::int64_t> brackets = brackets_of(pruner, faults);
  if (!brackets.empty()) warn_of_cut(trials, brackets, faults);
}

}  // namespace dlrun::spec
