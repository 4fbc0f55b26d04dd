// SPDX-License-Identifier: Apache-2.0
#include "worker/faults.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <stdexcept>
#include <vector>

#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::worker {

namespace {

/// Past any handler of a sanitizer.
void die_of(int number) {
  std::signal(number, SIG_DFL);
  ::raise(number);
}

/// Whoever wakes the process up has given up what it ran, so it ends.
[[noreturn]] void freeze() {
  ::kill(::getpid(), SIGSTOP);
  ::_exit(3);
}

/// A gigabyte, as a model may want it, and gives it back.
void hoard() {
  std::vector<std::vector<char>> kept;
  while (kept.size() < 64) kept.emplace_back(std::size_t{16} << 20, char{1});
}

}  // namespace

const std::vector<std::string>& fault_names() {
  static const std::vector<std::string> names = {"none",  "exception", "oom",  "nan",  "inf",    "crash",
                                                 "abort", "kill",      "exit", "hang", "freeze", "hoard"};
  return names;
}

void commit_fault(const std::string& name) {
  const auto& names = fault_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string nearest = nearest_name(name, names);
    throw Error(ErrorKind::usage, "there is no fault '" + name + "'",
                nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  }
  if (name == "exception") throw std::runtime_error("an exception on purpose");
  if (name == "oom") throw std::bad_alloc();
  if (name == "hoard") hoard();
  if (name == "exit") ::_exit(3);
  if (name == "crash") die_of(SIGSEGV);
  if (name == "abort") die_of(SIGABRT);
  if (name == "kill") ::kill(::getpid(), SIGKILL);
  if (name == "freeze") freeze();
  while (name == "hang") ::pause();
}

}  // namespace dlrun::worker
