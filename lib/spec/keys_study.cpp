// SPDX-License-Identifier: Apache-2.0
// The keys of a study but for its space and trial.
#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"
#include "spec/keys.hpp"
#include "spec/study_fields.hpp"

namespace dlrun::spec {

namespace {

Key objective_key() {
  Key one = table("", "what is measured, and which way is better",
                  {text("metric", "name of the metric, e.g. val.accuracy; never of the test split").must(),
                   choice("direction", "which way is better", {"minimize", "maximize"})
                       .or_else("by the metric's name: maximize for accuracy and r2, minimize for losses and errors"),
                   choice("at", "the epoch that counts: the last, or the best of them", {"last", "best"}).with("last"),
                   real("reference", "of several objectives: the value from which the hypervolume counts")
                       .or_else("the worst seen")});
  return list("objective", "what is measured, and which way is better; several make a list", std::move(one))
      .one()
      .must();
}

Key feasible_key() {
  Key bound = table("", "a bound on a metric",
                    {text("metric", "name of the metric, at the epoch the objective is from").must(),
                     real("max", "above this a trial is infeasible").or_else("no bound"),
                     real("min", "below this a trial is infeasible").or_else("no bound")});
  return list("feasible", "bounds on metrics; a trial beyond one is never the best", std::move(bound))
      .one()
      .or_else("every trial is feasible");
}

Table joined(Table first, const Table& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Table budgets() {
  return {integer("min_budget", "epochs before the first rung").from(1).with(1),
          integer("max_budget", "epochs of a trial that is never pruned").from(1).or_else("as trial.epochs")};
}

Table by_eta() {
  return joined({integer("eta", "one of eta trials goes on at a rung").from(2).to(1000).with(3)}, budgets());
}

Table by_interval() { return joined(budgets(), {integer("interval", "epochs from rung to rung").from(1).with(1)}); }

/// Pruners that compare a trial with others need some of these first.
Table by_others() {
  return joined(by_interval(),
                {integer("startup_trials", "trials that must be complete before any stops").from(0).to(1e9).with(5),
                 integer("min_trials", "of them, with a value at the rung").from(1).to(1e9).with(1)});
}

Table thresholds() {
  return joined({real("lower", "below this a trial stops").or_else("no bound"),
                 real("upper", "above this a trial stops").or_else("no bound")},
                by_interval());
}

Table patience() {
  return joined({integer("patience", "epochs without progress that are forgiven").from(0).to(1e9).must(),
                 real("min_delta", "what counts as progress").from(0).with(0.0)},
                by_interval());
}

/// Changes that pbt makes to the values of an heir.
Table perturbed() {
  return {list("factors", "a number is multiplied by one of them", real("", "a factor").above(0))
              .with(Json::array({0.8, 1.2})),
          real("resample", "chance of a parameter to be drawn anew").from(0).to(1).with(0.25)};
}

Table population() {
  return {integer("population", "trials that train side by side").from(2).to(1e6).with(8),
          real("quantile", "the worst that give way at a rung, and the best that hand on").above(0).to(0.5).with(0.25),
          integer("min_budget", "epochs before the first rung").from(1).or_else("the interval"),
          integer("max_budget", "epochs of a trial that never gives way").from(1).or_else("as trial.epochs"),
          integer("interval", "epochs from rung to rung").from(1).with(1)};
}

Key pruner_key() {
  std::vector<Variant> kinds = {
      {"none", "every trial gets all its epochs", {}},
      {"asha", "asynchronous successive halving: one in eta goes on at each rung",
       joined({choice("type", "promotion: trials pause and the best go on; stop: trials train on or stop for good",
                      {"promotion", "stop"})
                   .with("promotion")},
              by_eta())},
      {"pasha", "asha that opens rungs only as far as rankings need them", by_eta()},
      {"successive_halving", "brackets of trials; a rung closes when all are there, and one in eta goes on",
       joined({integer("bracket", "trials that start together")
                   .from(1)
                   .to(1e9)
                   .or_else("eta for each rung above the first: one is left at the last")},
              by_eta())},
      {"hyperband", "successive halving in brackets that begin at ever higher rungs", by_eta()},
      {"bohb", "hyperband whose trials tpe proposes", by_eta()},
      {"median", "stops what is worse than the median of completed trials at the same epoch", by_others()},
      {"percentile", "stops what is worse than a percentile of completed trials at the same epoch",
       joined({real("percentile", "the best so many per cent go on").above(0).below(100).must()}, by_others())},
      {"threshold", "stops what leaves given bounds", thresholds()},
      {"patience", "stops what no longer gets better", patience()},
      {"pbt", "population based training: the worst give way to heirs of the best, with other values",
       joined(population(), perturbed())},
      {"pb2", "pbt whose heirs get the values that a model of the population's gains promises most of", population()},
      {"wilcoxon",
       "stops trials of several members that are significantly worse than the best, between two members",
       {real("alpha", "chance to stop a trial that is as good, all looks together").above(0).to(0.5).with(0.1),
        integer("min_members", "members before the first look").from(2).to(1000).with(2)}}};
  return variant("pruner", "which trials go on", std::move(kinds)).with("none");
}

Key search_key() {
  return table(
      "search", "how the space is searched",
      {choice("sampler", "which values next", samplers::sampler_names()).with("auto"), pruner_key(),
       list("enqueue", "values to try first, one trial each; what is left out is filled in by the sampler",
            map_of("", "parameters and values", plain("", "a value of the parameter")))
           .or_else("none"),
       integer("lanes", "trials in flight on the logical clock, half as many again as the workers you expect")
           .from(1)
           .to(4096)
           .with(8),
       real("slack", "how long results take to become visible, in mean costs of a piece").from(0).to(1000).with(0.1),
       boolean("stagger", "lanes begin one after another, over a mean piece, so that few results are hidden")
           .with(true),
       choice("order", "logical: the same study gives the same answer on any number of workers", {"logical", "arrival"})
           .with("logical"),
       list("learn_from", "earlier studies of the same store whose trials the sampler begins with", text("", "a name"))
           .one()
           .or_else("none")});
}

Key limits_key() {
  return table("limits", "when the search ends; what is not named is not limited", keys_of(limit_fields()));
}

Key speculate_key() {
  return table("speculate",
               "what is far behind runs a second time on a worker without work and the first to end counts; auto: not "
               "programs, nor where deterministic is false",
               keys_of(speculation_fields()))
      .or_word("auto")
      .or_word("true")
      .or_word("false")
      .with("auto");
}

Key resources_key() {
  const Table megabytes{
      integer("log_mb", "what is kept of the log of one attempt, in megabytes").from(1).to(1e6).with(64),
      integer("memory_mb", "memory of a worker, and of each program it starts, in megabytes: more is the cause oom")
          .from(64)
          .to(1e9)
          .or_else("no limit")};
  Table keys = keys_of(resource_fields());
  keys.insert(keys.end() - 1, megabytes.begin(), megabytes.end());
  keys.push_back(speculate_key());
  return table("resources", "what a trial may use", std::move(keys));
}

Key executor_key() {
  return table("executor", "where workers run: local, or slurm with its options",
               {table("slurm", "workers are jobs of a Slurm cluster", keys_of(slurm_fields())).must()})
      .or_word("local")
      .or_word("slurm")
      .with("local");
}

Key retry(const std::string& cause, const std::string& what, int count) {
  return integer(cause, what).from(0).to(1000).with(count);
}

Key retry_key() {
  const Table causes{retry("worker_lost", "the worker vanished, was preempted or its node failed", 5),
                     retry("signal", "the worker was killed by a signal", 1),
                     retry("exception", "the trial ended with an error", 0),
                     retry("oom", "memory ran out", 0),
                     retry("nan", "the loss was not finite", 0),
                     retry("timeout", "a limit of time was passed", 0)};
  Key quarantine = table("quarantine", "when a machine on which trials are lost gets no work for a while; off: never",
                         keys_of(quarantine_fields()))
                       .or_word("off");
  return table("retry", "how often an attempt is repeated, by cause, and how soon",
               joined(joined(causes, keys_of(retry_delay_fields())), {std::move(quarantine)}));
}

}  // namespace

const Table& study_keys() {
  static const Table keys = {
      text("study", "name of the study: letters, digits, '.', '_' and '-'").must(),
      text("description", "a line about the question asked").or_else("none"),
      integer("seed", "all randomness follows from it").from(0).with(0),
      objective_key(),
      feasible_key(),
      map_of("space", "what is searched: parameters by name", parameter_key()).must(),
      list("constraints", "what must hold between parameters",
           any("", "a < b, a + 2*b <= 1, or {forbid: {a: 1, b: x}}"))
          .or_else("none"),
      search_key(),
      limits_key(),
      resources_key(),
      executor_key(),
      retry_key(),
      table("keep", "whose checkpoints stay in the store", keys_of(keep_fields())),
      choice("reuse",
             "trials: what an earlier study of the store measured with the same configuration, seed, data and numerics "
             "is cited, not run again; stages: trials of this study that begin with the same epochs train them once; "
             "all: both",
             {"none", "trials", "stages", "all"})
          .or_else("all of an ablation, stages of a search"),
      choice("determinism", "portable: the same bits on other instruction sets, slower", {"native", "portable"})
          .with("native"),
      trial_key(),
      final_key(),
      ablation_key(),
  };
  return keys;
}

}  // namespace dlrun::spec
