// SPDX-License-Identifier: Apache-2.0
// The keys of a study but for its space and trial.
#include "spec/executor_section.hpp"
#include "spec/keys.hpp"
#include "spec/lanes.hpp"
#include "spec/pruner_section.hpp"
#include "spec/sampler_section.hpp"
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

Key search_key() {
  return table(
      "search", "how the space is searched",
      {sampler_key(), pruner_key(),
       list("enqueue", "values to try first, one trial each; what is left out is filled in by the sampler",
            map_of("", "parameters and values", plain("", "a value of the parameter")))
           .or_else("none"),
       integer("lanes",
               "trials in flight on the logical clock; auto: from the workers that the study is created with, and its "
               "limit of trials, once and for all; a single trial has one for each replicate and fold")
           .from(1)
           .to(kMostLanes)
           .or_word("auto")
           .with("auto"),
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
  return table(
             "speculate",
             "what is far behind runs a second time on a worker without work and the first to end counts; auto: not "
             "programs, nor where deterministic is false, nor ranks in processes whose results differ from run to run",
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

Key retry(const std::string& cause, const std::string& what, int count) {
  return integer(cause, what + "; once at most, for what happens twice lies in the trial").from(0).to(1000).with(count);
}

Key retry_key() {
  const Table causes{integer("worker_lost", "the worker vanished or its node failed").from(0).to(1000).with(5),
                     retry("signal", "the worker was killed by a signal", 1),
                     retry("exception", "the trial ended with an error", 0),
                     retry("oom", "memory ran out", 0),
                     retry("nan", "the loss was not finite", 0),
                     retry("timeout", "a limit of time was passed", 0)};
  Key quarantine = table("quarantine", "when a machine on which trials are lost gets no work for a while; off: never",
                         keys_of(quarantine_fields()))
                       .or_word("off");
  return table("retry", "how often an attempt is repeated, by cause, and how soon",
               options::joined<Key>({causes, keys_of(retry_delay_fields()), {std::move(quarantine)}}));
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
      table("winner", "after the search its best trials run again, on fresh seeds and folds, and race to be the best",
            keys_of(winner_fields())),
      final_key(),
      ablation_key(),
  };
  return keys;
}

}  // namespace dlrun::spec
