// SPDX-License-Identifier: Apache-2.0
#include "driver/take_over.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

/// Does the driver say that it will hand over?
bool is_handing_over(const std::filesystem::path& store, const std::string& study) {
  const std::string us = "process " + std::to_string(::getpid()) + " on " + storage::host_name();
  try {
    const auto reply = ask_running(store, study, {{"command", "hand_over"}, {"to", us}});
    return reply && reply->contains("ok");
  } catch (const Error&) {  // the driver is stopped, or stuck
    return false;
  }
}

/// Waits until the driver has released its lock. Its workers have ten seconds to save. Naps are counted instead of
/// time, because a slow machine is slow for both drivers.
bool has_let_go(const std::filesystem::path& lock) {
  constexpr int kNaps = 300;
  for (int nap = 0; nap < kNaps; ++nap) {
    if (!storage::WriterLock::is_held(lock)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

}  // namespace

void take_over(const std::filesystem::path& store, const std::string& study, Display& display) {
  const std::filesystem::path lock = storage::study_file(store, study, ".lock");
  if (!storage::WriterLock::is_held(lock)) return;
  display.line("study '" + study + "' is held by " + storage::WriterLock::holder(lock) + ", which is asked to end");
  if (is_handing_over(store, study) && has_let_go(lock)) return;
  display.line("it does not end: it is fenced, nothing that it writes from now on is taken");
  storage::WriterLock::revoke(lock);
}

}  // namespace dlrun::driver
