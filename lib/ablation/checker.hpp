// SPDX-License-Identifier: Apache-2.0
// Questions about studies and their data that the reader of an ablation asks. This room reads no file and knows no key
// of a trial; lib/spec answers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "document/faults.hpp"
#include "space/space.hpp"
#include "util/json.hpp"

namespace dlrun::ablation {

using document::Faults;
using document::join;
using document::Node;
using document::suggest;

class Checker {
 public:
  virtual ~Checker() = default;

  /// Normal form of a whole study without `ablation:`, checked as any other study.
  virtual Json check(const Node& root, Faults& faults) const = 0;
  /// Trial of another study in its normal form, with the constants of its space; null after a fault.
  /// @param file  the name of its file, relative to the file that names it
  virtual Json trial_of(const Node& file, Faults& faults) const = 0;
  /// The trial without its defaults, as a person would write it.
  virtual Json concise(const Json& trial) const = 0;
  /// Defaults of the trial's kinds (optimizer.op) that other kinds, set by `sets` (place -> value), keep though they
  /// have their own: "lr_scaling.warmup stays layer_wise (adascale's own: none)". Not of keys that stand in the study's
  /// text.
  virtual std::vector<std::string> kept_defaults(const Json& trial, const Json& sets, const Node& root) const = 0;
  /// The trial without places of files, which change no result.
  virtual Json identity(const Json& trial) const = 0;
  /// `trial.init` with the absolute path of a file that lies beside the text in which `written` stands.
  virtual Json init_beside(Json init, const document::Span& written) const = 0;
  /// Names of the metrics that trials report; none: any.
  virtual std::vector<std::string> metrics_of(const Json& study) const = 0;
  /// @param parameters, constraints  in normal form
  virtual space::Space space_of(const Json& parameters, const Json& constraints) const = 0;
  /// Inputs that the model gets from the data. @throws Error for a split that cannot be drawn
  virtual Json inputs_of(const Json& data, std::uint64_t seed) const = 0;
  /// Share of the most frequent class in each split. @throws Error for data that cannot be read
  virtual std::map<std::string, double> majority_shares(const Json& study) const = 0;
};

}  // namespace dlrun::ablation
