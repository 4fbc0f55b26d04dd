// SPDX-License-Identifier: Apache-2.0
#include "placement/workload.hpp"

#include <fmt/format.h>

#include <map>

#include "placement/orders.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr double kMillisecond = 1e-3;

template <class Value>
Value value_of(const Json& json, const char* key, const std::string& place) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number() && found->template get<double>() >= 0)
    return found->template get<Value>();
  throw Error(ErrorKind::usage, fmt::format("{} needs '{}', a number of at least 0", place, key));
}

const Json& rows_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_array()) return *found;
  throw Error(ErrorKind::usage, fmt::format("a workload needs the list '{}'", key));
}

Item item_of(const Json& json, const std::string& place) {
  Item item;
  item.name = json.value("name", place);
  item.accelerated = value_of<double>(json, "fpgaLatency", place) * kMillisecond;
  item.on_cpu = value_of<double>(json, "cpuLatency", place) * kMillisecond;
  item.bytes = value_of<double>(json, "size", place);
  item.is_backward = json.value("isBackwardNode", 0) != 0;
  item.can_be_accelerated = json.value("supportedOnFpga", 1) != 0;
  return item;
}

class Reading {
 public:
  explicit Reading(const Json& json) : json_(json) {}

  Workload read() {
    work_.accelerators = value_of<int>(json_, "maxFPGAs", "the workload");
    work_.cpus = value_of<int>(json_, "maxCPUs", "the workload");
    if (work_.accelerators + work_.cpus == 0)
      throw Error(ErrorKind::usage, "the workload has no device: maxFPGAs and maxCPUs are 0");
    work_.memory = value_of<double>(json_, "maxSizePerFPGA", "the workload");
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
      if (!by_id_.emplace(value_of<std::int64_t>(rows[i], "id", place), item).second)
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
      work_.items[std::size_t(from)].transfer = value_of<double>(rows[i], "cost", place) * kMillisecond;
    }
  }

  int item_by(const Json& row, const char* key, const std::string& place) const {
    const auto found = by_id_.find(value_of<std::int64_t>(row, key, place));
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
