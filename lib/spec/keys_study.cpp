// SPDX-License-Identifier: Apache-2.0
// The keys of a study but for its space and trial.
#include "pruners/keys.hpp"
#include "samplers/sampler.hpp"
#include "spec/keys.hpp"

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
      {choice("sampler", "which values next", samplers::sampler_names()).with("auto"), pruners::pruner_key(),
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
  return table(
      "limits", "when the search ends; what is not named is not limited",
      {integer("trials", "number of trials")
           .from(1)
           .to(1e9)
           .or_else("32, or a pass over the pruner's brackets, where no epochs, target, stall or grid ends it"),
       integer("epochs", "epochs of all trials together").from(1).or_else("no limit"),
       duration("wall", "time of the whole study").above(0).or_else("no limit"),
       real("target", "an objective that is good enough").or_else("no limit"),
       real("expected_improvement",
            "over the best, in its units: where gp expects less of every point, the search ends")
           .above(0)
           .or_else("no limit"),
       real("gpu_hours", "hours of GPUs that trials may take, of a part of one that part").above(0).or_else("no limit"),
       integer("stall", "trials in a row without a better objective").from(1).to(1e9).or_else("no limit"),
       integer("failures", "failed trials above which the exit code is 1")
           .from(0)
           .or_else("1 only where none succeeds"),
       duration("trial_wall", "time of one piece of a trial").above(0).or_else("no limit"),
       duration("hang", "a training step that takes longer is a hang").above(0).with(60.0)});
}

Key speculate_key() {
  return table("speculate",
               "what is far behind runs a second time on a worker without work and the first to end counts; auto: not "
               "programs, nor where deterministic is false",
               {real("factor", "far behind is so many times what pieces like it took").above(1).to(1e6).with(2.0),
                duration("after", "and at least so long").from(0).with(10.0)})
      .or_word("auto")
      .or_word("true")
      .or_word("false")
      .with("auto");
}

Key resources_key() {
  return table(
      "resources", "what a trial may use",
      {integer("threads_per_trial", "threads inside one trial; part of the numerics").from(1).to(1024).with(1),
       text("device", "where trials run: cpu, cuda, cuda:N, or auto for a GPU where there is one").with("cpu"),
       boolean("pin", "tie each worker to cores of its own, threads_per_trial of them").with(false),
       integer("log_mb", "what is kept of the log of one attempt, in megabytes").from(1).to(1e6).with(64),
       integer("memory_mb", "memory of a worker, and of each program it starts, in megabytes: more is the cause oom")
           .from(64)
           .to(1e9)
           .or_else("no limit"),
       real("gpu_share", "part of a GPU and of its memory that one worker takes").above(0).to(1).with(1.0),
       speculate_key()});
}

Key slurm_key() {
  return table(
      "slurm", "workers are jobs of a Slurm cluster",
      {text("partition", "sbatch --partition").or_else("the cluster's own"),
       text("account", "sbatch --account").or_else("the user's own"),
       text("qos", "sbatch --qos").or_else("the user's own"),
       text("time", "sbatch --time of a job, as 2:00:00 or minutes").or_else("the partition's own"),
       text("mem", "sbatch --mem of a job, as 4G").or_else("the cluster's own"),
       text("gres", "sbatch --gres of a job, as gpu:1").or_else("none"),
       integer("cpus", "cores of a worker").from(1).to(1e5).or_else("as resources.threads_per_trial"),
       integer("workers_per_job", "workers that share a job").from(1).to(1000).with(1),
       integer("jobs", "jobs in the queue at once, at most").from(1).to(1e5).or_else("as many as there is work for"),
       duration("idle", "a worker without work for so long gives its place back").above(0).with(300.0),
       duration("notice", "so long before a job's end its workers are asked to save and leave").from(1).with(120.0),
       duration("poll", "time between questions to squeue").from(0.1).to(600).with(5.0),
       text("listen", "address of this machine, and port, where workers come").or_else("all addresses, any port"),
       text("scratch",
            "folder of a node's own where workers work, as $TMPDIR; artifacts then travel through the driver")
           .or_else("the store"),
       list("args", "further options of sbatch", text("", "an option, as --constraint=a100")).one().or_else("none"),
       list("prologue", "lines of shell before a worker starts", text("", "a line, as module load cuda"))
           .one()
           .or_else("none")});
}

Key executor_key() {
  return table("executor", "where workers run: local, or slurm with its options", {slurm_key().must()})
      .or_word("local")
      .or_word("slurm")
      .with("local");
}

Key retry(const std::string& cause, const std::string& what, int count) {
  return integer(cause, what).from(0).to(1000).with(count);
}

Key quarantine_key() {
  return table("quarantine", "when a machine on which trials are lost gets no work for a while; off: never",
               {integer("after", "trials lost on it in a row, with none that succeeded in between; 0: never")
                    .from(0)
                    .to(1e6)
                    .with(3),
                duration("for", "time without work, doubled each time").from(1).to(31'536'000).with(60.0),
                duration("max_for", "it is never longer").from(1).to(31'536'000).with(3600.0)})
      .or_word("off");
}

Key retry_key() {
  return table("retry", "how often an attempt is repeated, by cause, and how soon",
               {retry("worker_lost", "the worker vanished, was preempted or its node failed", 5),
                retry("signal", "the worker was killed by a signal", 1),
                retry("exception", "the trial ended with an error", 0), retry("oom", "memory ran out", 0),
                retry("nan", "the loss was not finite", 0), retry("timeout", "a limit of time was passed", 0),
                duration("delay",
                         "time before a piece is tried again, doubled with each loss of it; the first loss of a worker "
                         "costs none")
                    .from(0)
                    .with(1.0),
                duration("max_delay", "the delay is never longer").from(0).with(60.0), quarantine_key()});
}

Key keep_key() {
  return table(
      "keep", "whose checkpoints stay in the store",
      {integer("best", "number of best trials").from(0).with(3),
       integer("last", "number of newest checkpoints of a trial").from(0).with(1),
       boolean("rungs", "those at rungs, from which trials go on").with(true),
       boolean("all", "every checkpoint of every trial, in place of best, last and rungs").or_else("false"),
       list("epochs", "of every trial, checkpoints after these epochs", integer("", "an epoch, from 1").from(1))
           .or_else("none")});
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
      keep_key(),
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
