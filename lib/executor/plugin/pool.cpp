// SPDX-License-Identifier: Apache-2.0
#include "executor/plugin/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "executor/jobs.hpp"
#include "executor/remote_worker.hpp"
#include "protocol/rendezvous.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::executor {

using guest::WorkerPhase;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds kMoment{5};     ///< in which a quick plugin answers: the loop waits so long for it
constexpr double kFarewellPoll = 0.2;  ///< seconds between questions while the last workers end
constexpr std::size_t kRunDigits = 8;

std::string end_of(const guest::WorkerState& state) {
  const std::string code = state.exit_code ? fmt::format("ended with code {}", *state.exit_code) : "ended";
  return state.reason.empty() ? code : fmt::format("{} ({})", code, state.reason);
}

}  // namespace

PluginPool::PluginPool(const PluginOptions& options)
    : options_(options),
      guest_(options.plugin, options.options),
      file_(options.logs / "handles.json", options.plugin),
      run_(protocol::random_token().substr(0, kRunDigits)) {}

PluginPool::~PluginPool() {
  if (!has_begun_) return;
  try {
    guest_.wait();
    stop_all(guest_);
  } catch (const Error&) {
    try {
      guest::GuestExecutor another(options_.plugin, options_.options);
      stop_all(another);
    } catch (const Error&) {  // the plugin has failed twice: workers end when they have missed their driver long enough
    }
  }
}

void PluginPool::stop_all(guest::GuestExecutor& by) {
  for (auto& [name, job] : jobs_) {
    if (!job.is_live() || job.handle.empty()) continue;
    by.stop(job.handle, [] {});
    by.wait();
    job.phase = WorkerPhase::ended;
  }
  keep_handles();
}

void PluginPool::start(int workers) {
  wanted_ = need_ = workers;
  make_folders(options_.logs);
  for (const auto& [name, handle] : file_.read())
    jobs_[name] = {.handle = handle, .phase = WorkerPhase::running, .end = {}, .has_worked = true};
  has_begun_ = true;
  is_known_ = jobs_.empty();
}

void PluginPool::keep(PoolView view) {
  look_at_lost(view);
  turn(view);
  if (is_known_) retire_idle(view, need_, options_.idle);
}

/// Takes an answer that has come, and asks what is to be asked for as long as answers come at once.
void PluginPool::turn(PoolView view) {
  if (!guest_.is_asked() || guest_.fetch_answer(milliseconds(0))) {
    while (ask_next() && guest_.fetch_answer(kMoment)) {
    }
  }
  for (std::string& text : said_) view.happenings.push_back(Said{std::move(text)});
  said_.clear();
}

/// False: there is nothing to ask.
bool PluginPool::ask_next() {
  const auto now = Clock::now();
  give_up_waiting();
  if (!unwanted_.empty()) {
    ask_stop();
  } else if (now >= ask_at_ && has_handles()) {
    ask_states();
  } else if (!is_shutting_down_ && is_known_ && now >= start_at_ && live_jobs() < desired_jobs()) {
    ask_start();
  } else {
    return false;
  }
  return true;
}

bool PluginPool::has_handles() const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [](const auto& job) { return job.second.is_live() && !job.second.handle.empty(); });
}

int PluginPool::live_jobs() const {
  return static_cast<int>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job.second.is_live(); }));
}

int PluginPool::desired_jobs() const {
  const int desired = std::min(wanted_, need_);
  return options_.jobs > 0 ? std::min(desired, options_.jobs) : desired;
}

// ---- more and fewer workers ----

void PluginPool::ask_start() {
  const std::string name = fmt::format("{}-{}-{}", options_.name, run_, named_++);
  guest::WorkerOrder worker{.name = name,
                            .command = options_.call,
                            .environment = options_.environment,
                            .log = log_of(name),
                            .cores = options_.cores,
                            .gpus = options_.gpus,
                            .memory_mb = options_.memory_mb};
  worker.command.insert(worker.command.end(), {"--job", name});
  guest_.start(worker, [this, name](const std::optional<std::string>& handle) { note_started(name, handle); });
}

void PluginPool::note_started(const std::string& name, const std::optional<std::string>& handle) {
  if (!handle) {
    start_at_ = Clock::now() + pause_after(++refusals_);
    if (refusals_ == 1 && live_jobs() == 0)
      said_.push_back(fmt::format("'{}' has no place for a worker, and is asked again", options_.plugin));
    return;
  }
  refusals_ = 0;
  for (const auto& [other, job] : jobs_) {
    if (job.is_live() && job.handle == *handle)
      guest_.refuse(fmt::format("gave the handle '{}' to two workers", *handle));
  }
  jobs_[name].handle = *handle;
  keep_handles();
  if (is_shutting_down_) unwant(name);
}

void PluginPool::keep_handles() {
  Handles handles;
  for (const auto& [name, job] : jobs_) {
    if (job.is_live() && !job.handle.empty()) handles[name] = job.handle;
  }
  file_.write(handles);
}

/// Stops workers that wait for a place while for `idle` seconds fewer were needed.
void PluginPool::give_up_waiting() {
  int surplus = is_shutting_down_ ? 0 : live_jobs() - desired_jobs();
  if (surplus <= 0) return surplus_since_.reset();
  if (!surplus_since_) surplus_since_ = Clock::now();
  if (Clock::now() - *surplus_since_ < as_duration(options_.idle)) return;
  for (auto job = jobs_.rbegin(); job != jobs_.rend() && surplus > 0; ++job) {
    if (job->second.phase != WorkerPhase::waiting || job->second.has_worked) continue;
    unwant(job->first);
    --surplus;
  }
}

void PluginPool::unwant(const std::string& name) {
  Job& job = jobs_.at(name);
  if (job.is_unwanted || !job.is_live() || job.handle.empty()) return;
  job.is_unwanted = true;
  unwanted_.push_back(name);
}

void PluginPool::ask_stop() {
  const Job& job = jobs_.at(unwanted_.front());
  unwanted_.pop_front();
  guest_.stop(job.handle, [this] { ask_at_ = Clock::now(); });
}

// ---- states ----

void PluginPool::ask_states() {
  std::vector<std::string> names, handles;
  for (const auto& [name, job] : jobs_) {
    if (!job.is_live() || job.handle.empty()) continue;
    names.push_back(name);
    handles.push_back(job.handle);
  }
  asked_at_ = Clock::now();
  guest_.state(handles, [this, names](const std::vector<guest::WorkerState>& states) { note_states(names, states); });
}

void PluginPool::note_states(const std::vector<std::string>& names, const std::vector<guest::WorkerState>& states) {
  ask_at_ = Clock::now() + as_duration(options_.poll);
  is_known_ = true;
  bool has_any_ended = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Job& job = jobs_.at(names[i]);
    job.phase = states[i].phase;
    if (job.is_live()) continue;
    job.end = end_of(states[i]);
    has_any_ended = true;
    note_end(names[i], job);
  }
  if (has_any_ended) keep_handles();
}

/// A worker that ended before it said hello is a fault of the place or of the request.
void PluginPool::note_end(const std::string& name, const Job& job) {
  if (job.has_worked || job.is_unwanted || is_shutting_down_) return;
  const std::string tail = tail_of(log_of(name));
  const std::string how = fmt::format("worker {} {} before it was ready{}", name, job.end,
                                      tail.empty() ? ", and printed nothing" : "; it printed:\n" + tail);
  start_at_ = Clock::now() + pause_after(++early_deaths_);
  if (early_deaths_ < kEarlyJobDeaths) return said_.push_back(how);
  throw Error(ErrorKind::no_worker,
              fmt::format("{} workers in a row that '{}' started ended before they were ready; the last: {}",
                          early_deaths_, options_.plugin, how));
}

/// Ends workers without a connection whose process has ended, because they cannot come back; of others without one it
/// is asked soon.
void PluginPool::look_at_lost(PoolView view) {
  for (const auto& worker : view.workers) {
    auto* remote = dynamic_cast<RemoteWorker*>(worker.get());
    if (remote == nullptr || remote->connection || remote->has_ended()) continue;
    const auto job = jobs_.find(remote->job());
    if (job == jobs_.end()) continue;
    if (job->second.is_live()) {
      ask_at_ = std::min(ask_at_, asked_at_ + seconds(1));
    } else {
      remote->has_gone("it " + job->second.end);
    }
  }
}

// ---- workers ----

Pool::Meeting PluginPool::meet(const protocol::Hello& hello, PoolView view) {
  if (hello.job.empty())
    return {nullptr, fmt::format("this study's workers are started by the plugin '{}'", options_.plugin)};
  Job& job = jobs_[hello.job];  // a worker that was started a moment ago, or by an earlier driver
  if (is_shutting_down_) return {nullptr, "the study is ending"};
  job.phase = WorkerPhase::running;
  job.has_worked = true;
  early_deaths_ = 0;
  return {std::make_unique<RemoteWorker>(options_, view.next_number++, hello), {}};
}

/// A worker that was given up has no further use; one that leaves ends by itself.
void PluginPool::has_ended(const Worker& worker, bool is_expected) {
  const auto* remote = dynamic_cast<const RemoteWorker*>(&worker);
  const auto job = remote == nullptr ? jobs_.end() : jobs_.find(remote->job());
  if (job == jobs_.end()) return;
  if (job->second.handle.empty()) {
    job->second.phase = WorkerPhase::ended;
    job->second.end = "ended";
  } else if (!is_expected) {
    unwant(job->first);
  }
  ask_at_ = std::min(ask_at_, asked_at_ + as_duration(std::min(options_.poll, 1.0)));
}

// ---- the end ----

void PluginPool::shut_down(PoolView) {
  is_shutting_down_ = true;
  give_up_at_ = Clock::now() + kFarewell;
  options_.poll = std::min(options_.poll, kFarewellPoll);
  for (const auto& [name, job] : jobs_) {
    if (!job.has_worked) unwant(name);
  }
}

/// Is a worker left? Those with a connection were told to end, the others are stopped, and the plugin says when they
/// are gone.
bool PluginPool::is_busy(PoolView view) {
  turn(view);
  return guest_.is_asked() || (live_jobs() > 0 && Clock::now() <= give_up_at_);
}

}  // namespace dlrun::executor
