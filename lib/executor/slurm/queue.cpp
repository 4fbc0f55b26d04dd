// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/queue.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "util/error.hpp"

namespace dlrun::executor {

namespace {

constexpr std::array kWaiting = {"PENDING",     "CONFIGURING",   "REQUEUED",     "REQUEUE_HOLD",
                                 "REQUEUE_FED", "RESV_DEL_HOLD", "POWER_UP_NODE"};
constexpr std::array kOver = {"COMPLETED", "COMPLETING",    "CANCELLED", "FAILED",    "TIMEOUT", "PREEMPTED",
                              "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE",  "BOOT_FAIL", "REVOKED", "SPECIAL_EXIT"};

template <class Words>
bool has(const Words& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return one == word; });
}

QueuedJob read_line(const std::string& line) {
  std::istringstream fields(line);
  QueuedJob job;
  const bool is_whole = std::getline(fields, job.id, '|') && std::getline(fields, job.state, '|') &&
                        std::getline(fields, job.nodes, '|') && std::getline(fields, job.reason);
  if (!is_whole || job.id.empty()) throw Error(ErrorKind::outside, "squeue printed '" + line + "'");
  job.phase = phase_of(job.state);
  return job;
}

}  // namespace

JobPhase phase_of(const std::string& state) {
  if (has(kWaiting, state)) return JobPhase::waiting;
  return has(kOver, state) ? JobPhase::over : JobPhase::running;
}

std::vector<QueuedJob> read_queue(const std::string& text) {
  std::vector<QueuedJob> jobs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) jobs.push_back(read_line(line));
  }
  return jobs;
}

std::string read_submitted(const std::string& text) {
  std::string id = text.substr(0, text.find_first_of(";\n"));
  const bool is_number = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) throw Error(ErrorKind::outside, "sbatch printed '" + text + "' instead of a job's number");
  return id;
}

}  // namespace dlrun::executor
