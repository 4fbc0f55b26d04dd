// SPDX-License-Identifier: Apache-2.0
// State of several ranks that lasts from one epoch to the next, and reports of them.
#include <numeric>

#include <fmt/format.h>

#include "train/ranks.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::train {

std::vector<NamedNumbers> Ranks::tensors() {
  std::vector<NamedNumbers> all = states_.tensors(gang_);
  if (Partition* const partition = shared_.batches.partition()) {
    for (const auto& [name, numbers] : partition->tensors()) all.push_back({name, numbers});
  }
  return all;
}

Json Ranks::counters() const {
  Json json = states_.counters();
  json["seconds"] = seconds().value_or(0);
  json["bytes"] = bytes_;
  if (machines_.fails()) json["losses"] = {lost_, back_at_};
  if (machines_.records) json["records"] = records_.counters();
  if (const Partition* const partition = shared_.batches.partition()) json["partition"] = partition->counters();
  return json;
}

void Ranks::restore(const Json& json) try {
  states_.restore(json);
  seconds_ = json.at("seconds").get<double>();
  bytes_ = json.at("bytes").get<double>();
  if (machines_.fails()) {
    lost_ = json.at("losses").at(0).get<std::int64_t>();
    back_at_ = json.at("losses").at(1).get<double>();
  }
  if (machines_.records) records_.restore(json.value("records", Json::array()));
  if (Partition* const partition = shared_.batches.partition()) partition->restore(json.at("partition"));
  observed_ = states_.most_steps();
  cluster_.reset();
} catch (const Json::exception& fault) {
  throw Error(ErrorKind::store, fmt::format("the counters of its ranks are malformed: {}", fault.what()));
}

/// Seconds of processes differ from run to run, and so are no result.
std::optional<double> Ranks::seconds() const { return machines_.is_virtual ? std::optional(seconds_) : std::nullopt; }

std::optional<std::int64_t> Ranks::dropped() const {
  if (const auto* bsp = std::get_if<parallel::Bsp>(&method_); bsp == nullptr || bsp->drop_slowest == 0)
    return std::nullopt;
  const std::vector<std::int64_t>& counts = states_.members.servers.front().counts;
  return std::accumulate(counts.begin(), counts.end(), std::int64_t(0));
}

std::optional<std::int64_t> Ranks::lost() const { return machines_.fails() ? std::optional(lost_) : std::nullopt; }

std::string Ranks::cost_text() const {
  if (place_ == nullptr)
    return losses_.empty() ? losses_ : fmt::format("epoch {}{}", shared_.progress.state().epoch, losses_);
  return text_of(costs_, gang_.rank_processes(), shared_.progress.state().epoch, elapsed_) + losses_;
}

trial::GangReport Ranks::report() const {
  return report_of(costs_, gang_.rank_processes(), shared_.progress.state().epoch, machines_.is_virtual);
}

std::vector<trial::Metric> metrics_of(const Network& network, const Ranks* ranks) {
  std::vector<trial::Metric> all;
  if (const auto seconds = network.simulated_seconds()) all.push_back({"placement.seconds", *seconds});
  if (ranks == nullptr) return all;
  if (const auto seconds = ranks->seconds()) all.push_back({"cluster.seconds", *seconds});
  all.push_back({"cluster.gbytes", ranks->bytes() / 1e9});
  if (const auto lost = ranks->lost()) all.push_back({"cluster.losses", double(*lost)});
  if (const auto dropped = ranks->dropped()) all.push_back({"cluster.dropped", double(*dropped)});
  return all;
}

}  // namespace dlrun::train
