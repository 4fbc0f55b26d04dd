// SPDX-License-Identifier: Apache-2.0
// The tables about first weights: dl_start, dl_start_note.
#pragma once
#include "storage/sqlite.hpp"
#include "trial/trial.hpp"

namespace dlrun::storage {

class StartTables {
 public:
  explicit StartTables(Database& database);
  /// Adds the first weights of a member, in place of an earlier attempt's.
  void add_start(const trial::Member& member, const trial::WeightStart& start);

 private:
  Statement clear_, clear_notes_, tensor_, note_;
};

}  // namespace dlrun::storage
