// SPDX-License-Identifier: Apache-2.0
// One copy of a program that has several hosts.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include "process/child.hpp"
#include "process/srun.hpp"
#include "programs/channel.hpp"
#include "programs/descendants.hpp"
#include "programs/group.hpp"
#include "programs/group_place.hpp"
#include "programs/rendezvous.hpp"
#include "util/error.hpp"
#include "util/gpus.hpp"
#include "util/ports.hpp"
#include "util/processes.hpp"

namespace dlrun::programs {

namespace {

using process::srun_variable;

class Rank {
 public:
  explicit Rank(const std::vector<std::string>& command)
      : command_(command),
        place_(group_place(srun_variable(kGroupVariable))),
        rank_(std::stoi(srun_variable("SLURM_PROCID"))),
        address_(srun_variable("SLURM_LAUNCH_NODE_IPADDR")),
        leader_(connect_to(address_, place_.port)) {
    become_subreaper();
  }

  int run() {
    leader_.say(fmt::format("{}{} {} {}", place_.token, rank_, free_port(), srun_variable("SLURMD_NODENAME")));
    const auto go = hear();
    if (!go) return 0;
    try {
      start(std::stoi(*go));
      watch();
    } catch (const Error& fault) {
      leader_.say(std::string("failed ") + fault.what());
    }
    child_ = process::Child();
    end_descendants({});
    return 0;
  }

 private:
  /// The next line of the leader; nullopt: it has gone.
  std::optional<std::string> hear() {
    while (true) {
      if (auto line = leader_.next()) return line;
      if (!leader_.read()) return std::nullopt;
    }
  }

  /// @throws Error if the program cannot be started on this host
  void start(int port) {
    auto variables =
        variables_of({.address = address_, .port = port, .gpus = place_.gpus, .rank = rank_, .nodes = place_.nodes});
    if (place_.gpus > 0) variables["CUDA_VISIBLE_DEVICES"] = gpus_of_program(place_.gpus, visible_gpus());
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    ::unsetenv(kGroupVariable);
    const Descriptor report(open_of_leader(3, O_WRONLY)), control(open_of_leader(4, O_RDONLY));
    std::vector<process::Passed> descriptors{{-1, 0}, {report.fd(), 3}, {control.fd(), 4}};
    if (rank_ > 0) descriptors.push_back({2, 1});  // all it prints goes to the log
    child_ = process::Child({.arguments = command_,
                             .folder = place_.folder,
                             .descriptors = descriptors,
                             .group = process::Group::own,
                             .dies_with_us = true,
                             .unblocks_signals = true,
                             .default_signals = {SIGPIPE, SIGXFSZ, SIGTERM}});
    if (const int fault = child_.fault(); fault != 0)
      throw Error(ErrorKind::outside, fmt::format("cannot run '{}' in '{}': {}", command_[0], place_.folder,
                                                  std::generic_category().message(fault)));
  }

  /// A descriptor of the leader for rank 0, which runs on its host; for others a device that swallows all.
  Descriptor open_of_leader(int number, int flags) const {
    const std::string path = rank_ == 0 ? fmt::format("/proc/{}/fd/{}", place_.leader, number) : "/dev/null";
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
    if (file.is_open()) return file;
    throw Error(ErrorKind::outside, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }

  void watch() {
    while (true) {
      std::array<pollfd, 2> items{{{leader_.fd(), POLLIN, 0}, {child_.watch(), POLLIN, 0}}};
      ::poll(items.data(), items.size(), child_.watch() < 0 ? kBlindMs : -1);
      if (child_.has_ended()) return leader_.say(fmt::format("ended {}", child_.status()));
      if (items[0].revents == 0) continue;
      if (!leader_.read()) return;
      while (leader_.next()) {
        for (const pid_t pid : descendants().value_or(std::set{child_.pid()})) ::kill(pid, SIGTERM);
      }
    }
  }

  static constexpr int kBlindMs = 50;

  std::vector<std::string> command_;
  GroupPlace place_;
  int rank_;
  std::string address_;
  Channel leader_;
  process::Child child_;
};

}  // namespace

int run_rank(const std::vector<std::string>& command) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);  // Slurm sends it to the program as well, and the leader must hear how that ended
  return Rank(command).run();
}

}  // namespace dlrun::programs
