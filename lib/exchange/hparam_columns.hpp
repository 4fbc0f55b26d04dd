// SPDX-License-Identifier: Apache-2.0
// Columns of TensorBoard's table over several studies: it shows one table for a whole log folder.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "exchange/hparams.hpp"
#include "exchange/study_source.hpp"

namespace dlrun::exchange {

class HParamColumns {
 public:
  /// Adds the parameters of a study. A parameter of two studies has both their domains.
  void add_study(const StudySource& source);
  /// A trial's values as its columns have them: numbers in a column of text become text.
  std::vector<std::pair<std::string, Json>> values_of(const Trial& trial) const;
  const std::vector<HParam>& columns() const { return columns_; }
  /// Tags of objectives and metrics, objectives first.
  const std::vector<std::string>& metrics() const { return metrics_; }

 private:
  void add_parameter(const Parameter& parameter);
  void add_metric(const std::string& metric);

  std::vector<HParam> columns_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> metrics_;
};

}  // namespace dlrun::exchange
