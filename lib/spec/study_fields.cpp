// SPDX-License-Identifier: Apache-2.0
#include "spec/study_fields.hpp"

#include "spec/keys.hpp"

namespace dlrun::spec {

using options::Field;
using options::field;
using options::Fields;

namespace {

/// A limit that is a rule of the search.
template <class Value>
Field<StudySpec> rule(const Key& key, std::optional<Value> study::Limits::*member) {
  return options::within<StudySpec>(
      field(key, member), [](auto& spec) -> auto& { return spec.rules.limits; });
}

}  // namespace

const Fields<StudySpec>& limit_fields() {
  static const Fields<StudySpec> fields{
      rule(integer("trials", "number of trials")
               .from(1)
               .to(1e9)
               .or_else(
                   "32, or a pass over the pruner's brackets, where no epochs, target, stall, expected_improvement or "
                   "grid ends it"),
           &study::Limits::trials),
      rule(integer("epochs", "epochs of all trials together").from(1).or_else("no limit"), &study::Limits::epochs),
      field(duration("wall", "time of the whole study").above(0).or_else("no limit"), &StudySpec::wall_seconds),
      rule(real("target", "an objective that is good enough").or_else("no limit"), &study::Limits::target),
      rule(real("expected_improvement",
                "over the best, in its units: where gp expects less of every point, the search ends")
               .above(0)
               .or_else("no limit"),
           &study::Limits::improvement),
      field(real("gpu_hours", "hours of GPUs that trials may take, of a part of one that part")
                .above(0)
                .or_else("no limit"),
            &StudySpec::gpu_hours),
      rule(integer("stall", "trials in a row without a better objective").from(1).to(1e9).or_else("no limit"),
           &study::Limits::stall),
      field(integer("failures", "failed trials above which the exit code is 1")
                .from(0)
                .or_else("1 only where none succeeds"),
            &StudySpec::failure_limit),
      field(duration("trial_wall", "time of one piece of a trial").above(0).or_else("no limit"),
            &StudySpec::trial_time_limit),
      field(duration("hang", "a training step that takes longer is a hang").above(0), &StudySpec::hang_seconds),
      field(duration("silence", "a program that prints and reports nothing for longer hangs")
                .above(0)
                .or_else("no limit"),
            &StudySpec::silence_seconds)};
  return fields;
}

const Fields<StudySpec>& resource_fields() {
  static const Fields<StudySpec> fields{
      field(integer("threads_per_trial", "threads inside one trial; part of the numerics").from(1).to(1024),
            &StudySpec::threads_per_trial),
      field(integer("devices", "parts of this machine, of threads_per_trial cores each, that compute a placed model")
                .from(1)
                .to(64)
                .or_else("one"),
            &StudySpec::devices),
      field(text("device", "where trials run: cpu, cuda, cuda:N, or auto for a GPU where there is one"),
            &StudySpec::device),
      field(boolean("pin", "tie each worker to cores of its own, threads_per_trial of them"), &StudySpec::pin),
      field(real("gpu_share", "part of a GPU and of its memory that one worker takes").above(0).to(1),
            &StudySpec::gpu_share),
      field(integer("gpus", "GPUs that each program of a command has to itself, on each of its hosts")
                .from(1)
                .to(1024)
                .or_else("one where device is a GPU, with gpu_share"),
            &StudySpec::gpus),
      field(integer("nodes",
                    "hosts of each program of a command, one copy on each, or of the ranks of each trial; needs Slurm")
                .from(1)
                .to(10000),
            &StudySpec::nodes),
      field(integer("parked", "programs of a command that wait, stopped, on one worker until their trials go on")
                .from(0)
                .to(100000)
                .or_else("as many as their memory allows; on a GPU only those with dlrun's client, while half of its "
                         "memory is free"),
            &StudySpec::parked),
      field(integer("parked_memory_mb", "their memory, of one worker").from(1).to(1e9).or_else("half of what is free"),
            &StudySpec::parked_mb)};
  return fields;
}

const Fields<Speculation>& speculation_fields() {
  static const Fields<Speculation> fields{
      field(real("factor", "far behind is so many times what pieces like it took").above(1).to(1e6),
            &Speculation::factor),
      field(duration("after", "and at least so long").from(0), &Speculation::after)};
  return fields;
}

const Fields<Slurm>& slurm_fields() {
  static const Fields<Slurm> fields{
      field(text("partition", "sbatch --partition").or_else("the cluster's own"), &Slurm::partition),
      field(text("account", "sbatch --account").or_else("the user's own"), &Slurm::account),
      field(text("qos", "sbatch --qos").or_else("the user's own"), &Slurm::qos),
      field(text("time", "sbatch --time of a job, as 2:00:00 or minutes").or_else("the partition's own"), &Slurm::time),
      field(text("mem", "sbatch --mem of a job, as 4G").or_else("the cluster's own"), &Slurm::mem),
      field(text("gres", "sbatch --gres of a job, as gpu:1").or_else("none"), &Slurm::gres),
      field(integer("cpus", "cores of a worker").from(1).to(1e5).or_else("as resources.threads_per_trial"),
            &Slurm::cpus),
      field(integer("workers_per_job", "workers that share a job").from(1).to(1000), &Slurm::workers_per_job),
      field(
          integer("jobs", "jobs in the queue at once, at most").from(1).to(1e5).or_else("as many as there is work for"),
          &Slurm::jobs),
      field(duration("idle", "a worker without work for so long gives its place back").above(0), &Slurm::idle),
      field(duration("notice", "so long before a job's end its workers are asked to save and leave").from(1),
            &Slurm::notice),
      field(duration("poll", "time between questions to squeue").from(0.1).to(600), &Slurm::poll),
      field(text("listen", "address of this machine, and port, where workers come").or_else("all addresses, any port"),
            &Slurm::listen),
      field(text("scratch",
                 "folder of a node's own where workers work, as $TMPDIR; artifacts then travel through the driver")
                .or_else("the store"),
            &Slurm::scratch),
      field(
          list("args", "further options of sbatch", text("", "an option, as --constraint=a100")).one().or_else("none"),
          &Slurm::args),
      field(list("prologue", "lines of shell before a worker starts", text("", "a line, as module load cuda"))
                .one()
                .or_else("none"),
            &Slurm::prologue)};
  return fields;
}

const Fields<PluginJobs>& plugin_job_fields() {
  static const Fields<PluginJobs> fields{
      field(integer("jobs", "workers at once, at most").from(1).to(1e5).or_else("as many as there is work for"),
            &PluginJobs::jobs),
      field(duration("idle", "a worker without work for so long gives its place back").above(0), &PluginJobs::idle),
      field(duration("poll", "time between questions for the states of workers").from(0.1).to(600), &PluginJobs::poll),
      field(text("listen", "address of this machine, and port, where workers come").or_else("all addresses, any port"),
            &PluginJobs::listen),
      field(text("scratch", "folder of a worker's own machine where it works; artifacts then travel through the driver")
                .or_else("the store"),
            &PluginJobs::scratch)};
  return fields;
}

const Fields<RetryDelay>& retry_delay_fields() {
  static const Fields<RetryDelay> fields{
      field(duration("delay",
                     "time before a piece is tried again, doubled with each loss of it; the first loss of a worker "
                     "costs none")
                .from(0),
            &RetryDelay::first),
      field(duration("max_delay", "the delay is never longer").from(0), &RetryDelay::most)};
  return fields;
}

const Fields<Quarantine>& quarantine_fields() {
  constexpr double kYear = 31'536'000;  // seconds
  static const Fields<Quarantine> fields{
      field(
          integer("after", "trials lost on it in a row, with none that succeeded in between; 0: never").from(0).to(1e6),
          &Quarantine::after),
      field(duration("for", "time without work, doubled each time").from(1).to(kYear), &Quarantine::first),
      field(duration("max_for", "it is never longer").from(1).to(kYear), &Quarantine::most)};
  return fields;
}

const Fields<Winner>& winner_fields() {
  constexpr int kMostCandidates = 64;
  static const Fields<Winner> fields{
      field(integer("candidates", "the best trials of the search").from(2).to(kMostCandidates), &Winner::candidates),
      field(integer("seeds", "fresh ones, of each candidate that is not shown to be worse than another")
                .from(2)
                .to(trial::kMostMembers),
            &Winner::seeds),
      field(integer("budget", "runs of all candidates together, at most").from(4).or_else("seeds of each candidate"),
            &Winner::budget),
      field(text("of", "the search whose candidates race, as `dlrun tune` writes it").or_else("this search"),
            &Winner::of)};
  return fields;
}

const Fields<Keep>& keep_fields() {
  static const Fields<Keep> fields{
      field(integer("best", "number of best trials").from(0), &Keep::best),
      field(integer("last", "number of newest checkpoints of a trial").from(0), &Keep::last),
      field(boolean("rungs", "those at rungs, from which trials go on"), &Keep::rungs),
      field(boolean("all", "every checkpoint of every trial, in place of best, last and rungs").or_else("false"),
            &Keep::all),
      field(list("epochs", "of every trial, checkpoints after these epochs", integer("", "an epoch, from 1").from(1))
                .or_else("none"),
            &Keep::epochs)};
  return fields;
}

}  // namespace dlrun::spec
