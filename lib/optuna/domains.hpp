// SPDX-License-Identifier: Apache-2.0
// Distributions of a study of Optuna's as one space of dlrun's.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/optuna_rows.hpp"
#include "util/json.hpp"

namespace dlrun::optuna {

/// All distributions that one parameter had, together: Optuna may suggest it from another range in each trial.
struct Domain {
  std::string name;            ///< in dlrun, whose names have fewer characters
  std::string original;        ///< in Optuna
  std::string kind;            ///< float | int | categorical
  double low = 0, high = 0;    ///< bounds of all distributions and values
  std::optional<double> step;  ///< grid of floats and ints, if all distributions have it and all values lie on it
  bool log = false;
  std::vector<Json> originals;  ///< choices in Optuna, in the order in which they appeared
  std::vector<Json> choices;    ///< the same here: null is the text None, lists and maps are their JSON text
  Json when;                    ///< {name: [choices]} under which it is there; empty: always
};

/// The space in which every trial of a study lies, and its trials' values in it.
///
/// Optuna has no conditions: a parameter that is not suggested has no value. A parameter that some of the trials that
/// ended well lack gets a condition on an earlier choice, if there is one whose choices tell where it is. Else a
/// parameter of its own says whether it is there, `has.NAME` (no, yes).
class Domains {
 public:
  /// @throws Error(usage) naming a distribution that is unknown, or a parameter that has two kinds of them.
  explicit Domains(const storage::OptunaStudy& study);

  /// The value of `space:`; an empty list: no trial has a parameter.
  Json space() const;
  /// {name: value} of a trial.
  Json values_of(const storage::OptunaTrial& trial) const;

 private:
  void merge_checked(const storage::OptunaParam& param);
  void merge(const storage::OptunaParam& param);
  void give_names();
  void find_conditions(const std::vector<const storage::OptunaTrial*>& whole);
  const Domain* find(const std::string& original) const;

  std::vector<Domain> domains_;                  ///< a condition names an earlier one
  std::set<std::string> taken_;                  ///< names
  std::map<std::string, std::string> switches_;  ///< has.NAME by the original name
};

}  // namespace dlrun::optuna
