// SPDX-License-Identifier: Apache-2.0
#include "recipe/given_turns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::usage, "placement: " + what, "make the file anew from this study: dlrun place STUDY.yaml");
}

class Turning {
 public:
  Turning(const placement::Graph& graph, std::size_t inputs, const placement::Placement& placement, int devices,
          std::string file)
      : inputs_(inputs), placement_(placement), file_(std::move(file)) {
    for (const placement::Node& node : graph.nodes) names_.push_back(node.name);
    turns_.tasks.resize(std::size_t(devices));
  }

  placement::Turns turns(const GivenPlacement& config) && {
    add_inputs(0);
    add_pass(config, config.forward, "forward", 0);
    add_pass(config, config.backward, "backward", int(names_.size()));
    add_inputs(int(names_.size()));
    return std::move(turns_);
  }

 private:
  /// @param first  task of node 0
  void add_inputs(int first) {
    for (int node = 0; node < int(inputs_); ++node) turns_.tasks.front().push_back(first + node);
  }

  void add_pass(const GivenPlacement& config, const std::vector<std::vector<std::string>>& lists,
                const std::string& pass, int first) {
    std::map<std::string, int> missing;
    for (std::size_t node = inputs_; node < names_.size(); ++node) missing[names_[node]] = int(node);
    for (int device = 0; device < int(lists.size()); ++device) {
      for (const std::string& name : lists[std::size_t(device)]) {
        if (is_input(name) || is_dropped(name, config)) continue;
        const int node = taken(missing, name, pass);
        const int there = placement_[std::size_t(node)];
        if (there != device)
          refuse(
              fmt::format("'{}' computes '{}' {} on device {}, and places it on {}", file_, name, pass, device, there));
        turns_.tasks[std::size_t(device)].push_back(first + node);
      }
    }
    if (!missing.empty())
      refuse(fmt::format("'{}' says not when '{}' is computed {}", file_, missing.begin()->first, pass));
  }

  bool is_input(const std::string& name) const {
    return std::find(names_.begin(), names_.begin() + std::ptrdiff_t(inputs_), name) !=
           names_.begin() + std::ptrdiff_t(inputs_);
  }

  /// Placed by the file, but no layer of this model.
  bool is_dropped(const std::string& name, const GivenPlacement& config) const {
    return config.nodes.contains(name) && std::find(names_.begin(), names_.end(), name) == names_.end();
  }

  /// The layer's node, no longer missing.
  int taken(std::map<std::string, int>& missing, const std::string& name, const std::string& pass) const {
    const auto found = missing.find(name);
    if (found == missing.end())
      refuse(fmt::format("'{}' computes '{}' {}, which is there twice or no layer", file_, name, pass));
    const int node = found->second;
    missing.erase(found);
    return node;
  }

  std::size_t inputs_;
  const placement::Placement& placement_;
  std::string file_;
  std::vector<std::string> names_;
  placement::Turns turns_;
};

}  // namespace

placement::Turns given_turns(const placement::Graph& graph, std::size_t inputs, const placement::Placement& placement,
                             int devices, const GivenPlacement& config) {
  if (config.forward.empty() && config.backward.empty()) return {};
  return Turning(graph, inputs, placement, devices, config.path).turns(config);
}

}  // namespace dlrun::recipe
