// SPDX-License-Identifier: Apache-2.0
#include "worker/farewell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace dlrun::worker {

namespace {

constexpr std::chrono::seconds kLeaveGrace{10};    ///< for a piece that is to be saved, after the first signal
constexpr std::chrono::seconds kNoticeGrace{100};  ///< likewise, after a notice of the end of a job's time

}  // namespace

void Farewell::ask(double grace, Clock::time_point now) {
  end_ = now + std::chrono::milliseconds(static_cast<std::int64_t>(grace * 1000));
}

bool Farewell::ask_by_signal(int number, Clock::time_point now) {
  const bool is_notice = number == SIGUSR1;
  if (is_hurried_ && !is_notice) return false;
  if (reason_.empty()) reason_ = fmt::format("it was told to by signal {}", number);
  const auto end = now + (is_notice ? kNoticeGrace : kLeaveGrace);
  end_ = std::min(end_.value_or(end), end);
  is_hurried_ = is_hurried_ || !is_notice;
  return true;
}

}  // namespace dlrun::worker
