// SPDX-License-Identifier: Apache-2.0
// `cluster:` of a trial: the machines that a gang's virtual time is made of.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "options/field.hpp"

namespace dlrun::parallel {

/// A rank that computes more slowly than others.
struct Straggler {
  int rank = 0;
  double factor = 1;  ///< factor of the time of a gradient
};

/// A rank stands still, as by SIGSTOP. Times are in seconds.
struct Pause {
  int rank = 0;
  double at = 0;  ///< virtual time since the training began
  double duration = 0;
};

/// Ranks are slower from time to time.
struct Slowdown {
  std::optional<int> rank;  ///< none: every rank, each at times of its own
  double every = 0;         ///< mean time from the end of one to the begin of the next, in seconds
  double duration = 0;      ///< mean, in seconds
  double factor = 1;        ///< factor of the time of a gradient
};

/// A rank is lost.
struct Failure {
  int rank = 0;
  double at = 0;  ///< virtual seconds since the training began
};

struct ClusterConfig {
  bool is_virtual = true;    ///< false: ranks are processes, and but for the next two nothing below counts
  bool is_encrypted = true;  ///< between hosts of processes
  bool records = false;      ///< order in which processes out of step do what they do
  double gradient_ms = 10;   ///< time of one gradient
  double jitter = 0.05;      ///< uniform, a share of that time to either side
  std::vector<Straggler> stragglers;
  std::vector<Slowdown> slowdowns;
  std::vector<Pause> pauses;
  std::vector<Failure> failures;
  std::optional<double> mtbf;  ///< mean time between failures of a rank, in seconds
  double restart = 30;         ///< seconds until a lost rank is back
  int ranks_per_host = 1;
  int hosts_per_card = 1;      ///< virtual hosts that share a network card; messages between them do not use it
  double bandwidth_gbit = 10;  ///< network card, each way, in Gbit/s
  double latency_us = 50;      ///< delay of a message between hosts
  double bus_gbyte = 10;       ///< between processes of one host, in GB/s
  double apply_gbyte = 1.15;   ///< gradients or weights that a server or a rank takes in, in GB/s

  bool fails() const { return !failures.empty() || mtbf.has_value(); }
};

/// Keys of `cluster: {op: virtual, …}`.
options::Fields<ClusterConfig> cluster_fields();
/// Keys of `cluster: {op: processes, …}`.
options::Fields<ClusterConfig> process_fields();

}  // namespace dlrun::parallel
