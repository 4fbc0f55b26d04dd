// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "executor/jobs.hpp"
#include "executor/remote_worker.hpp"
#include "executor/slurm/script.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::executor {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds kQuestionDeadline{30'000};  ///< for a question: a controller that restarts takes 9 s to refuse
constexpr seconds kPatience{30};                   ///< time that jobs wait before a person is told why
constexpr int kFailedSubmissions = 3;              ///< in a row, if none ever succeeded: the study stops
constexpr int kUnanswered = 12;                    ///< questions, if none ever was answered: the study stops
constexpr double kLeftBehind = 2;                  ///< times HubOptions::lost_after
constexpr int kMostAtOnce = 1000;                  ///< MaxArraySize is 1001 unless somebody changed it

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void SlurmPool::start(int workers) {
  wanted_ = need_ = workers;
  make_folders(options_.logs);
  script_ = options_.logs / "slurm.sh";
  write_file(script_, batch_script(options_), {.durable = false, .mode = 0700});
}

int SlurmPool::jobs_for(int workers) const {
  const int jobs = (workers + options_.workers_per_job - 1) / options_.workers_per_job;
  return options_.jobs > 0 ? std::min(jobs, options_.jobs) : jobs;
}

int SlurmPool::live_jobs() const {
  return static_cast<int>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job.second.phase != JobPhase::over; }));
}

void SlurmPool::keep(PoolView view) {
  if (submitting_) return;  // the queue would show a part of the jobs
  if (!asking_ && Clock::now() >= ask_at_) ask_queue(view);
  if (!is_known_) return;
  balance(view);
  retire_idle(view, need_, options_.idle);
}

// ---- the queue ----

void SlurmPool::ask_queue(PoolView view) {
  const std::vector<std::string> words = {"squeue",
                                          "--noheader",
                                          "--array",
                                          "--states=all",
                                          "--me",
                                          "--name=" + options_.name,
                                          "--format=" + std::string(kQueueFormat)};
  asking_ = Program::start(view.loop, words, kQuestionDeadline, [this, view](const Program::Ended& ended) {
    asking_.reset();
    ask_at_ = Clock::now() + as_duration(options_.poll);
    if (ended.code == 0) return take_queue(ended.out, view);
    // Jobs run on without their controller: that is told once and then waited for.
    if (++failed_questions_ == 2) say(view, "squeue does not answer: " + first_line(ended.err));
    if (ended.err.find("No such file") != std::string::npos && jobs_.empty()) {
      throw Error(ErrorKind::no_worker, "there is no Slurm here: " + first_line(ended.err),
                  "executor.slurm needs squeue, sbatch and scancel on PATH");
    }
    if (!has_answered_ && !is_shutting_down_ && view.workers.empty() && failed_questions_ >= kUnanswered) {
      throw Error(ErrorKind::no_worker,
                  fmt::format("Slurm's controller does not answer: squeue failed {} times, and never succeeded: {}",
                              failed_questions_, first_line(ended.err)),
                  "`squeue --me` has to work in the shell where dlrun is started");
    }
  });
}

void SlurmPool::take_queue(const std::string& text, PoolView view) {
  const bool is_first = !std::exchange(has_answered_, true);
  if (std::exchange(failed_questions_, 0) >= 2) say(view, "squeue answers again");
  std::set<std::string> seen;
  for (QueuedJob& found : read_queue(text)) {
    seen.insert(found.id);
    const bool is_new = !jobs_.contains(found.id);
    if (is_new && found.phase == JobPhase::over) continue;  // the job is of an earlier run
    Job& job = jobs_[found.id];
    if (is_first && found.phase == JobPhase::running) job.has_worked = true;  // for an earlier driver
    if (found.phase == JobPhase::waiting) job.came = 0;
    const bool has_ended = job.phase != JobPhase::over && found.phase == JobPhase::over;
    job.phase = found.phase;
    job.state = std::move(found.state);
    job.reason = std::move(found.reason);
    if (has_ended) note_end(found.id, job, view);
  }
  for (auto& [id, job] : jobs_) {
    if (seen.contains(id) || job.phase == JobPhase::over) continue;
    job.phase = JobPhase::over;  // Slurm has forgotten the job, so it ended long ago
    job.state = "gone";
    note_end(id, job, view);
  }
  is_known_ = true;
  forget_lost(view);
  note_lost_places(view);
  tell_waiting(view);
}

/// Ends workers without a connection that will not come back, because their job is over or because they ended alone.
void SlurmPool::forget_lost(PoolView view) {
  for (const auto& worker : view.workers) {
    auto* remote = dynamic_cast<RemoteWorker*>(worker.get());
    const auto job = remote == nullptr || remote->connection ? jobs_.end() : jobs_.find(remote->job());
    if (job == jobs_.end()) continue;
    if (job->second.phase != JobPhase::running) {
      remote->has_gone(fmt::format("its job {} is {}", job->first, job->second.state));
    } else if (is_left_behind(*remote, view)) {
      remote->has_gone(
          fmt::format("it was not heard of for {:g} s, but others of its job were", kLeftBehind * options_.lost_after));
    }
  }
}

/// Has a worker been away for long although another one of its job is connected? Then the network does not keep it
/// away.
bool SlurmPool::is_left_behind(const RemoteWorker& away, PoolView view) const {
  const auto now = Clock::now();
  const double patience = kLeftBehind * options_.lost_after;
  if (away.signs.silent_for(now) <= patience) return false;
  return std::any_of(view.workers.begin(), view.workers.end(), [&](const auto& worker) {
    return worker->connection && worker->job() == away.job() && worker->signs.connected_for(now) > patience;
  });
}

/// Counts the places of workers that ended in jobs that others still hold: a job without workers ends by itself. They
/// count once they have been empty for long, because a job that is to end loses its workers one after another.
void SlurmPool::note_lost_places(PoolView view) {
  std::map<std::string, int> here;
  for (const auto& worker : view.workers) ++here[worker->job()];
  int lost = 0;
  for (const auto& [id, job] : jobs_) {
    const auto found = here.find(id);
    const bool is_held = job.phase == JobPhase::running && found != here.end();
    if (is_held && job.came >= options_.workers_per_job) lost += std::max(0, options_.workers_per_job - found->second);
  }
  if (lost == 0) lost_since_.reset();
  if (lost > 0 && !lost_since_) lost_since_ = Clock::now();
  const bool is_long = lost_since_ && Clock::now() - *lost_since_ > as_duration(options_.lost_after);
  lost_places_ = is_long ? lost : 0;
}

/// Notes the end of a job. A job that brought no worker is a fault of the cluster or of the request.
void SlurmPool::note_end(const std::string& id, Job& job, PoolView view) {
  if (job.has_worked || job.is_told || is_shutting_down_) return;
  job.is_told = true;
  const std::string tail = tail_of(log_of(id));
  const std::string what = fmt::format("job {} ended ({}{}) before it brought a worker{}", id, job.state,
                                       job.reason.empty() || job.reason == "None" ? "" : ", " + job.reason,
                                       tail.empty() ? ", and printed nothing" : "; it printed:\n" + tail);
  if (job.state == "CANCELLED") return say(view, what);  // somebody wanted it so
  submit_at_ = Clock::now() + pause_after(++early_deaths_);
  if (early_deaths_ < kEarlyJobDeaths) return say(view, what);
  throw Error(ErrorKind::no_worker,
              fmt::format("{} jobs in a row brought no worker; the last: {}", early_deaths_, what),
              "the jobs' script is '" + script_.string() + "'");
}

std::string SlurmPool::log_of(const std::string& id) const {
  return (options_.logs / ("slurm-" + id + ".log")).string();
}

/// Tells why jobs wait, once for each reason: a queue can be long, but people want to know the reason.
void SlurmPool::tell_waiting(PoolView view) {
  int waiting = 0;
  std::string reason;
  for (const auto& [id, job] : jobs_) {
    if (job.phase != JobPhase::waiting) continue;
    ++waiting;
    reason = job.reason;
  }
  if (waiting == 0) return waiting_since_.reset();
  if (!waiting_since_) waiting_since_ = Clock::now();
  const bool is_long = Clock::now() - *waiting_since_ > kPatience;
  if (is_long && told_.insert(reason).second) {
    say(view, fmt::format("{} job{} in the queue: {}", waiting, waiting == 1 ? " waits" : "s wait", reason));
  }
}

// ---- more and fewer jobs ----

void SlurmPool::balance(PoolView view) {
  const int desired = jobs_for(std::min(wanted_, need_) + lost_places_);
  const int live = live_jobs();
  if (live <= desired) surplus_since_.reset();
  if (live < desired && Clock::now() >= submit_at_) return submit(std::min(desired - live, kMostAtOnce), view);
  if (live <= desired) return;
  if (!surplus_since_) surplus_since_ = Clock::now();
  if (Clock::now() - *surplus_since_ < as_duration(options_.idle)) return;
  std::vector<std::string> waiting;
  for (auto job = jobs_.rbegin(); job != jobs_.rend() && int(waiting.size()) < live - desired; ++job) {
    if (job->second.phase == JobPhase::waiting) waiting.push_back(job->first);
  }
  if (!waiting.empty()) cancel(waiting, view);
}

void SlurmPool::submit(int jobs, PoolView view) {
  if (asking_) asking_->stop();  // the answer would show none or a part of the new jobs
  asking_.reset();
  const std::vector<std::string> words = {"sbatch", "--parsable", fmt::format("--array=0-{}", jobs - 1),
                                          script_.string()};
  submitting_ = Program::start(view.loop, words, kQuestionDeadline, [this, jobs, view](const Program::Ended& ended) {
    submitting_.reset();
    note_submitted(jobs, ended, view);
  });
}

void SlurmPool::note_submitted(int jobs, const Program::Ended& ended, PoolView view) {
  if (ended.code == 0) {
    failed_submissions_ = 0;
    const std::string id = read_submitted(ended.out);
    for (int i = 0; i < jobs; ++i) jobs_[fmt::format("{}_{}", id, i)];
    if (is_shutting_down_) cancel({id}, view);
    ask_at_ = Clock::now() + as_duration(options_.poll);
    return;
  }
  is_known_ = false;  // whether it really failed is seen in the queue
  submit_at_ = Clock::now() + pause_after(++failed_submissions_);
  if (jobs_.empty() && failed_submissions_ >= kFailedSubmissions) {
    throw Error(ErrorKind::no_worker, "sbatch refuses our jobs: " + ended.err,
                "the jobs' script is '" + script_.string() + "'");
  }
  say(view, "sbatch failed, and is tried again: " + ended.err);
}

void SlurmPool::cancel(const std::vector<std::string>& ids, PoolView view) {
  if (cancelling_) return;
  std::vector<std::string> words = {"scancel"};
  words.insert(words.end(), ids.begin(), ids.end());
  cancelling_ = Program::start(view.loop, words, kQuestionDeadline, [this, view](const Program::Ended& ended) {
    cancelling_.reset();
    if (ended.code != 0) say(view, "scancel failed: " + first_line(ended.err));
    ask_at_ = Clock::now();
  });
}

// ---- workers ----

Pool::Meeting SlurmPool::meet(const protocol::Hello& hello, PoolView view) {
  if (hello.job.empty()) return {nullptr, "this study's workers are jobs of Slurm"};
  Job& job = jobs_[hello.job];  // a job that was submitted a moment ago, or by an earlier driver
  if (is_shutting_down_) return {nullptr, "the study is ending"};
  job.phase = JobPhase::running;
  job.has_worked = true;
  ++job.came;
  early_deaths_ = 0;
  return {std::make_unique<RemoteWorker>(options_, view.next_number++, hello), {}};
}

/// Asks the queue within a second: it says how the worker's job ended.
void SlurmPool::has_ended(const Worker&, bool) { ask_at_ = std::min(ask_at_, Clock::now() + seconds(1)); }

void SlurmPool::say(PoolView view, const std::string& text) { view.happenings.push_back(Said{text}); }

// ---- the end ----

void SlurmPool::shut_down(PoolView view) {
  is_shutting_down_ = true;
  give_up_at_ = Clock::now() + kFarewell;
  options_.poll = std::min(options_.poll, 1.0);
  std::vector<std::string> waiting;
  for (const auto& [id, job] : jobs_) {
    if (job.phase == JobPhase::waiting) waiting.push_back(id);
  }
  if (!waiting.empty()) cancel(waiting, view);
}

/// Is a job left? Workers were told to end, waiting jobs were cancelled, and the queue says when they are gone.
bool SlurmPool::is_busy(PoolView view) {
  if (submitting_ || cancelling_ || asking_) return true;
  if (live_jobs() == 0 || Clock::now() > give_up_at_) return false;
  if (Clock::now() >= ask_at_) ask_queue(view);
  return true;
}

SlurmPool::~SlurmPool() {
  for (const auto& program : {asking_, submitting_, cancelling_}) {
    if (program) program->stop();
  }
  const bool may_have_more = failed_submissions_ > 0;  // Slurm may have taken what it said had failed
  if (live_jobs() > 0 || submitting_ || may_have_more) cancel_all();
}

/// Once more where the command fails or cannot be started.
void SlurmPool::cancel_all() noexcept {
  constexpr int kAttempts = 2;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(seconds(1));
    try {
      if (Program::run({"scancel", "--me", "--name=" + options_.name}, kQuestionDeadline).code == 0) return;
    } catch (const std::exception&) {  // no descriptors
      continue;
    }
  }
}

}  // namespace dlrun::executor
