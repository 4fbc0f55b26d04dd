// SPDX-License-Identifier: Apache-2.0
#include "executor/jobs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace dlrun::executor {

using std::chrono::seconds;

namespace {

constexpr std::size_t kTail = 4096;  ///< bytes of a job's log that are shown

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
  int surplus = static_cast<int>(view.workers.size()) - needed;
  for (const auto& worker : view.workers) {
    const bool is_idle = worker->connection && !worker->is_leaving && worker->work.idle(now) > as_duration(idle);
    if (surplus <= 0 || !is_idle) continue;
    worker->is_leaving = true;
    const protocol::Shutdown message{0};
    worker->connection->send(message);
    worker->connection->flush();
    worker->note_sent(message);
    view.happenings.push_back(WorkerLeaves{worker->number()});
    --surplus;
  }
}

}  // namespace dlrun::executor
