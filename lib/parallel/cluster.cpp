// SPDX-License-Identifier: Apache-2.0
#include "parallel/cluster.hpp"

namespace dlrun::parallel {

namespace {

using options::duration;
using options::field;
using options::integer;
using options::real;

constexpr double kLeastTime = 1e-3, kMostTime = 1e9;  // seconds

options::Key rank_key() { return integer("rank", "which one, from 0").from(0); }
options::Key factor_key() { return real("factor", "of the time of a gradient").above(0).to(1e6).must(); }

options::Fields<Straggler> straggler_fields() {
  return {field(rank_key().must(), &Straggler::rank), field(factor_key(), &Straggler::factor)};
}

options::Fields<Slowdown> slowdown_fields() {
  return {field(rank_key().or_else("every rank, each at times of its own"), &Slowdown::rank),
          field(duration("every", "mean time from one to the next").from(kLeastTime).to(kMostTime).must(),
                &Slowdown::every),
          field(duration("duration", "mean").from(kLeastTime).to(kMostTime).must(), &Slowdown::duration),
          field(factor_key(), &Slowdown::factor)};
}

options::Key at_key() { return duration("at", "virtual time since the training began").from(0).to(kMostTime).must(); }

options::Fields<Failure> failure_fields() {
  return {field(rank_key().must(), &Failure::rank), field(at_key(), &Failure::at)};
}

options::Fields<Pause> pause_fields() {
  return {field(rank_key().must(), &Pause::rank), field(at_key(), &Pause::at),
          field(duration("duration", "of the pause").from(kLeastTime).to(kMostTime).must(), &Pause::duration)};
}

}  // namespace

options::Fields<ClusterConfig> cluster_fields() {
  return {
      field(real("gradient_ms", "time of a batch's gradient, in ms").above(0).to(1e9), &ClusterConfig::gradient_ms),
      field(real("jitter", "share of it by which it varies to either side").from(0).below(1), &ClusterConfig::jitter),
      options::rows(options::list("stragglers", "ranks that are slower",
                                  options::table("", "a slow rank", options::keys_of(straggler_fields()))),
                    &ClusterConfig::stragglers, straggler_fields()),
      options::rows(options::list("slowdowns", "times at which ranks are slower, drawn at random",
                                  options::table("", "a kind of them", options::keys_of(slowdown_fields()))),
                    &ClusterConfig::slowdowns, slowdown_fields()),
      options::rows(options::list("pauses", "times at which ranks stand still",
                                  options::table("", "a pause", options::keys_of(pause_fields()))),
                    &ClusterConfig::pauses, pause_fields()),
      options::rows(options::list("failures", "times at which ranks are lost",
                                  options::table("", "a loss", options::keys_of(failure_fields()))),
                    &ClusterConfig::failures, failure_fields()),
      field(duration("mtbf", "mean time between failures of a rank, which are drawn at random")
                .from(kLeastTime)
                .to(kMostTime)
                .or_else("none fails so"),
            &ClusterConfig::mtbf),
      field(duration("restart", "time until a lost rank is back").from(kLeastTime).to(kMostTime),
            &ClusterConfig::restart),
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
            &ClusterConfig::is_encrypted),
      field(options::boolean("record",
                             "the order in which processes take messages in, so that dlrun reproduce replays it; for "
                             "methods that do not take their steps together"),
            &ClusterConfig::records)};
}

}  // namespace dlrun::parallel
