// SPDX-License-Identifier: Apache-2.0
#include "executor/jobs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

namespace dlrun::executor {

using std::chrono::seconds;

namespace {

constexpr std::size_t kTail = 4096;  ///< bytes of a job's log that are shown

/// Workers that are not leaving, those of one job together; one without a job is alone.
std::vector<std::vector<Worker*>> workers_by_job(PoolView view) {
  std::vector<std::vector<Worker*>> jobs;
  std::map<std::string, std::size_t> places;
  for (const auto& worker : view.workers) {
    const std::string& job = worker->job();
    if (worker->is_leaving) continue;
    const auto [place, is_new] = places.try_emplace(job, jobs.size());
    if (is_new || job.empty()) {
      jobs.push_back({worker.get()});
    } else {
      jobs[place->second].push_back(worker.get());
    }
  }
  return jobs;
}

void retire(Worker& worker, PoolView view) {
  worker.is_leaving = true;
  const protocol::Shutdown message{0};
  worker.connection->send(message);
  worker.connection->flush();
  worker.note_sent(message);
  view.happenings.push_back(WorkerLeaves{worker.number()});
}

}  // namespace

std::chrono::steady_clock::duration as_duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

std::string tail_of(const std::filesystem::path& log) {
  std::ifstream file(log, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  return text.size() <= kTail ? text : text.substr(text.size() - kTail);
}

seconds pause_after(int failures) { return seconds(std::min(60, 1 << std::min(failures - 1, 6))); }

void retire_idle(PoolView view, int needed, double idle) {
  const auto now = Worker::Clock::now();
  const auto is_idle = [&](const Worker* worker) {
    return worker->connection && worker->work.idle(now) > as_duration(idle);
  };
  const auto stays = [](const auto& worker) { return !worker->is_leaving; };
  int surplus = static_cast<int>(std::count_if(view.workers.begin(), view.workers.end(), stays)) - needed;
  if (surplus <= 0) return;  // at nearly every turn of the loop
  for (const auto& job : workers_by_job(view)) {
    const int size = static_cast<int>(job.size());
    if (size > surplus || !std::all_of(job.begin(), job.end(), is_idle)) continue;
    for (Worker* worker : job) retire(*worker, view);
    surplus -= size;
  }
}

}  // namespace dlrun::executor
