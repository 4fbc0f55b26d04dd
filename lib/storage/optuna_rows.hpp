// SPDX-License-Identifier: Apache-2.0
// A study as Optuna's storage has it, and its rows in the file of a study that Optuna carried out.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::storage {

struct OptunaAttribute {
  bool is_system = false;
  std::string name;
  std::string value;  ///< JSON
};

/// A value, and Optuna's word for its kind: FINITE, INF_POS, INF_NEG, NAN. Only a finite one has a number.
struct OptunaNumber {
  std::optional<double> value;
  std::string kind;

  double as_double() const;
};

struct OptunaParam {
  std::string name;
  double value = 0;          ///< index of the choice, if it is a categorical
  std::string distribution;  ///< JSON
};

struct OptunaTrial {
  std::string state;                                     ///< COMPLETE, PRUNED, FAIL, RUNNING or WAITING
  std::optional<std::string> started, completed;         ///< as written
  std::optional<std::int64_t> started_ms, completed_ms;  ///< since 1970, if the times are UTC
  std::vector<OptunaAttribute> attributes;
  std::vector<OptunaParam> params;                    ///< in the order in which they were suggested
  std::map<std::int64_t, OptunaNumber> values;        ///< by objective, from 0
  std::map<std::int64_t, OptunaNumber> intermediate;  ///< by step
};

/// Keys of the dashboard that hold the id of a trial hold its place in `trials` instead.
struct OptunaStudy {
  std::string name;
  std::vector<std::string> directions;  ///< MINIMIZE, MAXIMIZE or NOT_SET, by objective
  std::vector<OptunaAttribute> attributes;
  std::vector<OptunaTrial> trials;  ///< by number
};

/// Keeps all of it in the file of a study whose trials have been written, beside them, and gives those the times that
/// they had. REQUIRES: the study is not open.
void keep_optuna_rows(const std::filesystem::path& file, const OptunaStudy& study);

/// Did Optuna carry the study out? Then its decisions are none of dlrun's, and it is over.
bool is_from_optuna(const std::filesystem::path& folder, const std::string& name);
/// @throws Error(usage) if it did: such a study is not continued
void require_own_study(const std::filesystem::path& folder, const std::string& name);

}  // namespace dlrun::storage
