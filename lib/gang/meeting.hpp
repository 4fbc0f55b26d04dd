// SPDX-License-Identifier: Apache-2.0
// Knowledge by which the processes of a gang find each other.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::gang {

/// Name of the environment's variable that carries it as JSON, to all processes but the first.
inline constexpr const char* kMeetingVariable = "DLRUN_GANG";

struct Meeting {
  std::vector<int> hosts;    ///< by process: number of its host; the first process's is 0
  std::string address = {};  ///< the first process's, for those of other hosts; empty: as Slurm says
  int port = 0;              ///< at which the first process waits
  std::string key = {};      ///< file of the study's key, as the first process found it
  std::string token = {};    ///< a gang's own: nobody joins another one
  bool is_encrypted = true;  ///< between hosts; false: the key is proved, and no more
  bool is_elastic = false;   ///< other hosts go on where one of their processes ends; only the first process knows

  int processes() const { return int(hosts.size()); }
  int host(int process) const { return hosts[std::size_t(process)]; }
  bool is_spread() const { return hosts_in_use() > 1; }
  int hosts_in_use() const;
  /// Lowest number of a host's processes, which starts the others of it.
  int first_of(int host) const;
};

/// Hosts of processes: each of them has neighbouring ranks, and neighbouring servers.
/// @param ranks, servers  at least one rank; ranks come first
std::vector<int> hosts_of(int ranks, int servers, int hosts);

Json to_json(const Meeting& meeting);
/// The meeting in our environment. @throws Error(usage) where there is none
Meeting found_meeting();
/// Our environment, with the meeting, for a process that is started.
std::vector<std::string> environment_with(const Meeting& meeting);

}  // namespace dlrun::gang
