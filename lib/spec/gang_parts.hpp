// SPDX-License-Identifier: Apache-2.0
// Values that the parts of `parallel:` have in the trials of a study, for its checks.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "parallel/methods.hpp"
#include "spec/reading.hpp"
#include "spec/space_section.hpp"

namespace dlrun::spec {

inline const std::string kParts = "trial.parallel";

/// The parts of a gang over all trials of a study.
class Parts {
 public:
  Parts(const Json& trial, const Json& space) : trial_(trial), space_(space) {}

  std::vector<Json> values(const char* key) const {
    return values_in_study(trial_, space_, std::string("parallel.") + key);
  }
  bool may_be(const char* key, const Json& value) const {
    const std::vector<Json> all = values(key);
    return std::find(all.begin(), all.end(), value) != all.end();
  }
  /// Values in the study of any place of the trial.
  std::vector<Json> values_of(const char* place) const { return values_in_study(trial_, space_, place); }
  bool is_given(const char* key, const Faults& faults) const {
    return faults.was_written(join(kParts, key)) || is_set(space_, std::string("parallel.") + key);
  }
  bool may_cut() const { return may_be("sharding", "layer") || may_be("sharding", "memory"); }
  bool may_be_wait_free() const { return may_be("wait_free", true); }

  /// Whether the server may keep the optimiser's state; a method's default holds where nothing is said.
  bool may_step_at_server() const {
    const bool is_written = trial_["parallel"].contains("momentum") || is_set(space_, "parallel.momentum");
    if (!is_written) return may_be("op", parallel::Bsp::kName) && parallel::Bsp().momentum == "server";
    const bool has_choice =
        may_be("op", parallel::Bsp::kName) || may_be("op", parallel::Asp::kName) || may_be("op", parallel::Ssp::kName);
    return has_choice && may_be("momentum", "server");
  }
  /// Servers of the trial that has most of them.
  std::int64_t most_servers() const {
    std::int64_t most = 1;
    for (const Json& value : values("servers")) {
      if (value.is_null()) most = std::max(most, usual_servers());
      if (value.is_number_integer()) most = std::max(most, value.get<std::int64_t>());
    }
    return most;
  }
  /// Whether a rank may keep it, which then sends no gradients.
  bool may_step_at_ranks() const {
    const bool is_written = trial_["parallel"].contains("momentum") || is_set(space_, "parallel.momentum");
    if (is_written) return may_be("momentum", "worker");
    return may_be("op", parallel::Asp::kName) || may_be("op", parallel::Ssp::kName);
  }
  bool may_be_above(const char* key, std::int64_t limit) const {
    const std::vector<Json> all = values(key);
    return std::any_of(all.begin(), all.end(),
                       [&](const Json& value) { return value.is_number_integer() && value > limit; });
  }
  std::int64_t fewest_ranks() const {
    std::int64_t fewest = most_ranks();
    for (const Json& value : values("ranks")) {
      if (value.is_number_integer()) fewest = std::min(fewest, value.get<std::int64_t>());
    }
    return fewest;
  }
  std::int64_t most_ranks() const {
    std::int64_t most = 1;
    for (const Json& value : values("ranks")) {
      if (value.is_number_integer()) most = std::max(most, value.get<std::int64_t>());
    }
    return most;
  }

 private:
  /// Servers that a trial has if nothing is said.
  std::int64_t usual_servers() const {
    if (trial_["cluster"].value("op", Json()) == "processes") return 1;
    const std::int64_t each = trial_["cluster"].value("ranks_per_host", std::int64_t(1));
    return (most_ranks() - 1) / each + 1;
  }

  const Json& trial_;
  const Json& space_;
};

}  // namespace dlrun::spec
