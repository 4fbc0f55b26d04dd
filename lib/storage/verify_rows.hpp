// SPDX-License-Identifier: Apache-2.0
// Are the rows that people query those of the log?
#pragma once
#include <map>
#include <string>
#include <vector>

#include "storage/rows.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Compares every row of the log, in order, with the tables made from it; collects the differences.
class RowCheck {
 public:
  explicit RowCheck(Database& database);
  void compare(const LogRow& row);
  /// Rows that the log knows nothing of. To be called after the last row.
  void finish();
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void compare(const study::Decision& decision);
  void compare_params(const study::Decision& decision);
  void compare(const trial::PieceResult& result);
  void compare(const trial::PieceResult& result, const trial::Report& report);
  void compare(const trial::PieceResult& result, const trial::Artifact& artifact);
  void compare(const trial::Member& member, const trial::WeightStart& start);
  void require_count(const char* what, const char* table, std::int64_t seen);
  void require_trials(const char* table);

  Database& database_;
  Statement decision_, params_, metric_, artifact_, start_;
  std::int64_t decisions_ = 0, metrics_ = 0, artifacts_ = 0;
  std::vector<std::string> faults_;
  std::map<trial::PieceKey, std::vector<std::string>> missing_;  ///< faults unless another result of the piece follows
};

}  // namespace dlrun::storage
