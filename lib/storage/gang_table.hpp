// SPDX-License-Identifier: Apache-2.0
// The table of what ranks cost: dl_gang_node.
#pragma once
#include "storage/sqlite.hpp"
#include "trial/gang_report.hpp"
#include "trial/trial.hpp"

namespace dlrun::storage {

class GangTable {
 public:
  explicit GangTable(Database& database);

  void add_report(const trial::PieceKey& key, int attempt, const trial::GangReport& report);

 private:
  Statement insert_;
};

}  // namespace dlrun::storage
