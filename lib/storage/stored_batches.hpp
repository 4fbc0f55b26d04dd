// SPDX-License-Identifier: Apache-2.0
// The log as a file has it, in batches that are checked and decoded beside each other: each is chained to the hash that
// the file has for the row before it, which the batch before has to fit.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "storage/chain.hpp"
#include "storage/decode_ahead.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

class StoredBatches {
 public:
  /// @param origin  the chain before the first row. REQUIRES: `database` outlives this.
  StoredBatches(Database& database, Chain origin);

  /// Next batch of the log; its `decode` throws Error(store) naming the first row off the chain or unreadable.
  DecodeAhead::Batch operator()(std::size_t most);

 private:
  Statement rows_;
  Chain origin_;
  std::string file_;
  std::pair<std::int64_t, std::string> last_;  ///< the last row given: its number, and the hash that the file has
};

}  // namespace dlrun::storage
