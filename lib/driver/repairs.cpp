// SPDX-License-Identifier: Apache-2.0
#include "driver/repairs.hpp"

#include <algorithm>
#include <utility>

namespace dlrun::driver {

void Repairs::hold(Work work, const std::vector<std::string>& reads) {
  for (const std::string& sha256 : reads) want(sha256);
  held_.push_back({std::move(work), reads});
}

void Repairs::want(const std::string& sha256) {
  if (facts_.is_there(sha256) || is_coming(sha256)) return;
  has_begun_ = true;
  Remake remake = facts_.remake(sha256);
  const std::vector<std::string> reads = remake.reads;
  const executor::AttemptKey key = remake.work.attempt();
  const auto [job, is_new] = jobs_.try_emplace(key, Job{std::move(remake), {}});
  job->second.makes.push_back(sha256);
  if (!is_new) return;
  try {
    for (const std::string& read : reads) want(read);
  } catch (...) {
    jobs_.erase(job);  // the job would wait for ever
    throw;
  }
}

/// A file that was there when it was asked for may be gone by now.
void Repairs::want_all() {
  std::vector<std::string> reads;
  for (const auto& [key, job] : jobs_) {
    if (!job.is_started) reads.insert(reads.end(), job.remake.reads.begin(), job.remake.reads.end());
  }
  for (const Held& held : held_) reads.insert(reads.end(), held.reads.begin(), held.reads.end());
  for (const std::string& read : reads) want(read);
}

std::vector<Work> Repairs::take_free() {
  want_all();
  std::vector<Work> out;
  for (auto& [key, job] : jobs_) {
    if (job.is_started || !are_there(job.remake.reads)) continue;
    job.is_started = true;
    ++job.tries;
    out.push_back(job.remake.work);
  }
  std::erase_if(held_, [&](Held& held) {
    if (!are_there(held.reads)) return false;
    out.push_back(std::move(held.work));
    return true;
  });
  return out;
}

void Repairs::done(const executor::AttemptKey& repair) { jobs_.erase(repair); }

void Repairs::again(const executor::AttemptKey& repair) {
  const auto job = jobs_.find(repair);
  if (job == jobs_.end()) return;
  job->second.is_started = false;
  const std::vector<std::string> reads = job->second.remake.reads;
  for (const std::string& read : reads) want(read);
}

void Repairs::drop(const executor::AttemptKey& held) {
  std::erase_if(held_, [&](const Held& one) { return one.work.attempt() == held; });
}

std::vector<std::string> Repairs::wanted_of(const executor::AttemptKey& repair) const {
  const auto job = jobs_.find(repair);
  return job == jobs_.end() ? std::vector<std::string>() : job->second.makes;
}

int Repairs::tries_of(const executor::AttemptKey& repair) const {
  const auto job = jobs_.find(repair);
  return job == jobs_.end() ? 0 : job->second.tries;
}

bool Repairs::are_there(const std::vector<std::string>& reads) const {
  return std::all_of(reads.begin(), reads.end(), [this](const auto& one) { return facts_.is_there(one); });
}

/// A started piece that made the artifact is not asked for it twice.
bool Repairs::is_coming(const std::string& sha256) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& item) {
    const auto& makes = item.second.makes;
    return std::find(makes.begin(), makes.end(), sha256) != makes.end();
  });
}

}  // namespace dlrun::driver
