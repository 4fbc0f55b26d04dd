// SPDX-License-Identifier: Apache-2.0
#include "driver/metering.hpp"

#include <utility>

namespace dlrun::driver {

namespace {

constexpr std::int64_t kIdle = -1;  // holders that are no attempt
constexpr std::int64_t kTest = -2;
constexpr std::int64_t kRepair = -3;

double seconds_of(Metering::Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

Metering::Metering(std::vector<std::unique_ptr<energy::Counter>> counters, Clock::time_point now)
    : passed_(now), read_(now) {
  for (auto& counter : counters) meters_.push_back({std::move(counter), {}});
}

void Metering::worker_ready(std::int64_t worker, const std::string& gpu) { gpus_[worker] = gpu; }

std::int64_t Metering::holder_of(const Work& work) {
  if (work.is_test) return kTest;
  if (work.is_repair) return kRepair;
  const auto [found, is_new] = holders_.try_emplace(work.attempt(), next_holder_);
  next_holder_ += is_new;
  return found->second;
}

void Metering::ended(std::int64_t worker, const Work& work, double seconds) {
  if (meters_.empty() || !gpus_.contains(worker)) return;
  ended_[worker].push_back({holder_of(work), seconds});
  if (!work.is_beside()) finished_.push_back(work.attempt());
}

bool Metering::uses(std::int64_t worker, const Meter& meter) const {
  const std::string device = meter.counter->device();
  return device.empty() || ("," + gpus_.at(worker) + ",").find("," + device + ",") != std::string::npos;
}

/// Shares out the time of a worker since the last call. If it ended several pieces, each gets a part in proportion to
/// its own time.
void Metering::share(Meter& meter, std::int64_t worker, double seconds) {
  const auto ended = ended_.find(worker);
  if (ended == ended_.end()) return meter.shares.use(running_.at(worker), seconds);
  double sum = 0;
  for (const Ended& one : ended->second) sum += one.seconds;
  for (const Ended& one : ended->second) {
    const double part = sum > 0 ? one.seconds / sum : 1 / double(ended->second.size());
    if (part > 0) meter.shares.use(one.holder, seconds * part);
  }
}

void Metering::share(Meter& meter, double seconds) {
  std::vector<std::int64_t> users;
  for (const auto& [worker, holder] : running_) {
    if (uses(worker, meter)) users.push_back(worker);
  }
  if (users.empty()) meter.shares.use(kIdle, seconds);
  for (const std::int64_t worker : users) share(meter, worker, seconds / double(users.size()));
}

void Metering::pass(Clock::time_point now, const std::vector<Placement>& running) {
  if (meters_.empty()) return;
  const double seconds = seconds_of(now - std::exchange(passed_, now));
  for (Meter& meter : meters_) {
    if (seconds > 0) share(meter, seconds);
  }
  ended_.clear();
  running_.clear();
  for (const Placement& one : running) {
    if (gpus_.contains(one.worker)) running_[one.worker] = holder_of(one.work);
  }
  const auto since = now - read_;
  if (since >= kLongest || (since >= kShortest && !finished_.empty())) read(now);
}

void Metering::read(Clock::time_point now) {
  const double seconds = seconds_of(now - std::exchange(read_, now));
  for (Meter& meter : meters_) meter.shares.settle(meter.counter->read_joules(seconds));
  settled_.insert(settled_.end(), finished_.begin(), finished_.end());
  finished_.clear();
}

/// Adds up what a holder has of each source: unknown where one of its counters is.
void Metering::settle(std::int64_t holder, std::map<energy::Source, std::optional<double>>& sums) {
  for (Meter& meter : meters_) {
    const auto part = meter.shares.close_account(holder);
    if (!part) continue;
    auto [sum, is_new] = sums.try_emplace(meter.counter->source(), 0.0);
    sum->second = sum->second && part->joules ? std::optional(*sum->second + *part->joules) : std::nullopt;
  }
}

std::vector<Metering::Taken> Metering::take_ended() {
  std::vector<Taken> out;
  for (const executor::AttemptKey& attempt : std::exchange(settled_, {})) {
    const auto holder = holders_.find(attempt);
    if (holder == holders_.end()) continue;
    std::map<energy::Source, std::optional<double>> sums;
    settle(holder->second, sums);
    holders_.erase(holder);
    for (const auto& [source, joules] : sums) out.push_back({attempt, std::string(to_string(source)), joules});
  }
  return out;
}

void Metering::end(Clock::time_point now) {
  pass(now, {});
  for (const auto& [attempt, holder] : holders_) finished_.push_back(attempt);
  if (now > read_) read(now);
  settled_.insert(settled_.end(), finished_.begin(), finished_.end());
}

std::vector<Metering::Rest> Metering::take_rest() {
  std::vector<Rest> out;
  for (const auto& [holder, what] :
       {std::pair{kIdle, "idle"}, std::pair{kTest, "test"}, std::pair{kRepair, "repair"}}) {
    std::map<energy::Source, std::optional<double>> sums;
    settle(holder, sums);
    for (const auto& [source, joules] : sums) out.push_back({what, std::string(to_string(source)), joules});
  }
  return out;
}

}  // namespace dlrun::driver
