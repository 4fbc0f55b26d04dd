// SPDX-License-Identifier: Apache-2.0
// The training that follows a search: which configuration, longer, begun with which weights, beside which rivals.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "final/donors.hpp"
#include "util/json.hpp"
#include "warmstart/transfer.hpp"

namespace dlrun::final {

/// The facts of a final training, before it runs.
struct FinalPlan {
  std::string study;       ///< the search
  std::int64_t trial = 0;  ///< trial whose configuration is trained
  std::int64_t epochs = 0;
  int seeds = 1;
  std::string policy;
  std::string metric;                              ///< metric that ranks the donors
  std::optional<std::vector<std::string>> rivals;  ///< rivals of a comparison, beside fresh weights
  std::vector<warmstart::Donor> donors;            ///< the best first
  std::vector<Refused> refused;     ///< trials that give no weights, those that were measured first, best first
  bool is_program = false;          ///< trials are programs: the donor is a file that they read by themselves
  bool begins_fresh = false;        ///< the policy takes no donor's weights
  bool takes_donors = false;        ///< the policy or a rival takes a donor's weights
  bool goes_on = false;             ///< training continues from the donor's last epoch
  std::string optimizer, schedule;  ///< as the settings have them, unless it goes on
  std::optional<warmstart::TransferPlan> tensors;  ///< plan for the first donor; nullopt: other data, or fresh
};

struct FinalRun {
  Json study;                ///< a study of its own, to be written as YAML
  bool is_compared = false;  ///< an ablation of the warm start: kaiming is its baseline, each rival a variant
  FinalPlan plan;
};

/// @param final  `final` in its normal form; a policy `race` has its decision in it (warmstart::decided)
/// @param name   of the new study
/// @throws Error(usage) where no trial can give weights, saying of each why; Error(not_found).
FinalRun plan_final(const std::filesystem::path& store, const std::string& study, const Json& final,
                    const std::string& name);

/// Trial whose configuration the plan takes, "search/3"; the decision of a race does not matter. @throws likewise.
std::string trial_after(const std::filesystem::path& store, const std::string& study, const Json& final);

}  // namespace dlrun::final
