// SPDX-License-Identifier: Apache-2.0
#include "parallel/cluster.hpp"

namespace dlrun::parallel {

namespace {

using options::field;
using options::integer;
using options::real;

options::Fields<Straggler> straggler_fields() {
  return {field(integer("rank", "which one, from 0").from(0).must(), &Straggler::rank),
          field(real("factor", "of the time of a gradient").above(0).to(1e6).must(), &Straggler::factor)};
}

}  // namespace

options::Fields<ClusterConfig> cluster_fields() {
  return {
      field(real("gradient_ms", "time of a batch's gradient, in ms").above(0).to(1e9), &ClusterConfig::gradient_ms),
      field(real("jitter", "share of it by which it varies to either side").from(0).below(1), &ClusterConfig::jitter),
      options::rows(options::list("stragglers", "ranks that are slower",
                                  options::table("", "a slow rank", options::keys_of(straggler_fields()))),
                    &ClusterConfig::stragglers, straggler_fields()),
      field(integer("ranks_per_host", "ranks of one host").from(1).to(1024), &ClusterConfig::ranks_per_host),
      field(integer("hosts_per_card", "virtual hosts that share a network card").from(1).to(1024),
            &ClusterConfig::hosts_per_card),
      field(real("bandwidth_gbit", "of a network card, each way, in Gbit/s").from(1e-6),
            &ClusterConfig::bandwidth_gbit),
      field(real("latency_us", "of a message between hosts, in µs").from(0).to(1e9), &ClusterConfig::latency_us),
      field(real("bus_gbyte", "between processes of one host, in GB/s").from(1e-6), &ClusterConfig::bus_gbyte),
      field(real("apply_gbyte", "gradients or weights that a server or a rank takes in, in GB/s").from(1e-6),
            &ClusterConfig::apply_gbyte)};
}

options::Fields<ClusterConfig> process_fields() {
  return {
      field(options::boolean("encrypt",
                             "what ranks of several hosts say to each other; false: they prove the study's key, and "
                             "then speak in the clear"),
            &ClusterConfig::is_encrypted)};
}

}  // namespace dlrun::parallel
