// SPDX-License-Identifier: Apache-2.0
#include "programs/group.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <csignal>

#include "programs/group_leader.hpp"
#include "util/error.hpp"

namespace dlrun::programs {

namespace {

constexpr int kTryAgain = 75;  ///< EX_TEMPFAIL, as a program's

Descriptor descriptor_of_sigterm() {
  sigset_t terms;
  ::sigemptyset(&terms);
  ::sigaddset(&terms, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &terms, nullptr);
  return Descriptor(::signalfd(-1, &terms, SFD_CLOEXEC));
}

/// Ends this process as another one has ended.
int end_as(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  return kTryAgain;
}

}  // namespace

std::vector<std::string> leader_command(const std::string& binary, int nodes, int gpus,
                                        const std::vector<std::string>& command) {
  std::vector<std::string> words{binary, "--group", std::to_string(nodes), std::to_string(gpus)};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

int lead_group(const std::vector<std::string>& words) {
  if (words.size() < 3) throw Error(ErrorKind::usage, "--group needs NODES, GPUS and a program");
  const Descriptor stop = descriptor_of_sigterm();
  const auto ending = GroupLeader({.nodes = std::stoi(words[0]),
                                   .gpus = std::stoi(words[1]),
                                   .command = {words.begin() + 2, words.end()},
                                   .stop = stop.fd()})
                          .run();
  if (ending.lost.empty()) return end_as(ending.status);
  fmt::print(stderr, "{}\n", ending.lost);
  return kTryAgain;
}

}  // namespace dlrun::programs
