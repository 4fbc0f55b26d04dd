// SPDX-License-Identifier: Apache-2.0
#include "placement/workload.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "placement/orders.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr double kMillisecond = 1e-3;

constexpr double kMostDevices = 1e4, kMostIds = 1e15;

double amount(const Json& json, const char* key, const std::string& place) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number() && std::isfinite(found->get<double>()) && found->get<double>() >= 0)
    return found->get<double>();
  throw Error(ErrorKind::usage, fmt::format("{} needs '{}', a number of at least 0", place, key));
}

std::int64_t whole(const Json& json, const char* key, const std::string& place, double most) {
  const double number = amount(json, key, place);
  if (number <= most && number == std::floor(number)) return std::int64_t(number);
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' must be a whole number from 0 to {}, not {}", place, key, most,
                                            to_text(json.at(key))));
}

/// Flags are numbers in public workloads.
bool flag(const Json& json, const char* key, const std::string& place, bool usual) {
  const auto found = json.find(key);
  if (found == json.end()) return usual;
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_number()) return found->get<double>() != 0;
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' must be 0 or 1, not {}", place, key, to_text(*found)));
}

std::string name_of(const Json& json, const std::string& place) {
  const auto found = json.find("name");
  if (found == json.end()) return place;
  if (found->is_string()) return found->get<std::string>();
  throw Error(ErrorKind::usage, fmt::format("{}: 'name' must be text, not {}", place, to_text(*found)));
}

const Json& rows_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_array()) return *found;
  throw Error(ErrorKind::usage, fmt::format("a workload needs the list '{}'", key));
}

Item item_of(const Json& json, const std::string& place) {
  Item item;
  item.name = name_of(json, place);
  item.accelerated = amount(json, "fpgaLatency", place) * kMillisecond;
  item.on_cpu = amount(json, "cpuLatency", place) * kMillisecond;
  item.bytes = amount(json, "size", place);
  item.is_backward = flag(json, "isBackwardNode", place, false);
  item.can_be_accelerated = flag(json, "supportedOnFpga", place, true);
  return item;
}

class Reading {
 public:
  explicit Reading(const Json& json) : json_(json) {}

  Workload read() {
    work_.accelerators = int(whole(json_, "maxFPGAs", "the workload", kMostDevices));
    work_.cpus = int(whole(json_, "maxCPUs", "the workload", kMostDevices));
    if (work_.accelerators + work_.cpus == 0)
      throw Error(ErrorKind::usage, "the workload has no device: maxFPGAs and maxCPUs are 0");
    work_.memory = amount(json_, "maxSizePerFPGA", "the workload");
    read_items();
    read_edges();
    return std::move(work_);
  }

 private:
  void read_items() {
    std::map<std::int64_t, int> class_by_colour;
    const Json& rows = rows_of(json_, "nodes");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string place = fmt::format("nodes.{}", i);
      const int item = int(work_.items.size());
      if (!by_id_.emplace(whole(rows[i], "id", place, kMostIds), item).second)
        throw Error(ErrorKind::usage, place + " has the id of another node");
      work_.items.push_back(item_of(rows[i], place));
      const Json colour = rows[i].value("colorClass", Json());
      const auto found =
          colour.is_number_integer() ? class_by_colour.find(colour.get<std::int64_t>()) : class_by_colour.end();
      const int own = found == class_by_colour.end() ? int(work_.classes.size()) : found->second;
      if (own == int(work_.classes.size())) work_.classes.emplace_back();
      if (colour.is_number_integer()) class_by_colour.emplace(colour.get<std::int64_t>(), own);
      work_.classes[std::size_t(own)].members.push_back(item);
      work_.class_of.push_back(own);
    }
    if (work_.items.empty()) throw Error(ErrorKind::usage, "the workload has no nodes");
  }

  void read_edges() {
    const Json& rows = rows_of(json_, "edges");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string place = fmt::format("edges.{}", i);
      const int from = item_by(rows[i], "sourceId", place), to = item_by(rows[i], "destId", place);
      work_.edges.emplace_back(from, to);
      work_.items[std::size_t(from)].transfer = amount(rows[i], "cost", place) * kMillisecond;
    }
  }

  int item_by(const Json& row, const char* key, const std::string& place) const {
    const auto found = by_id_.find(whole(row, key, place, kMostIds));
    if (found != by_id_.end()) return found->second;
    throw Error(ErrorKind::usage, fmt::format("{}: there is no node {}", place, to_text(row.at(key))));
  }

  const Json& json_;
  Workload work_;
  std::map<std::int64_t, int> by_id_;
};

}  // namespace

bool is_workload(const Json& json) { return json.is_object() && json.contains("maxFPGAs"); }

Workload read_workload(const Json& json) { return Reading(json).read(); }

std::vector<int> class_order(const Workload& work, bool is_level) {
  Graph graph;
  for (std::size_t i = 0; i < work.classes.size(); ++i) graph.nodes.push_back({std::to_string(i), "class"});
  for (const auto& [from, to] : work.edges) {
    const bool is_forward = !work.items[std::size_t(from)].is_backward && !work.items[std::size_t(to)].is_backward;
    const int first = work.class_of[std::size_t(from)], second = work.class_of[std::size_t(to)];
    if (is_forward && first != second) graph.edges.emplace_back(first, second);
  }
  std::vector<int> order = order_named(is_level ? "topo-level" : "topo").of(graph);
  if (order.size() == graph.nodes.size()) return order;
  throw Error(ErrorKind::usage, "nodes of one class stand before and behind another class",
              "classes (colorClass) must not form a cycle");
}

}  // namespace dlrun::placement
