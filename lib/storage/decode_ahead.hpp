// SPDX-License-Identifier: Apache-2.0
// Rows of the log, decoded on other cores while those before them are taken in: of a long log that is half the work.
#pragma once
#include <deque>
#include <functional>
#include <future>
#include <optional>
#include <vector>

#include "storage/codec.hpp"

namespace dlrun::storage {

class DecodeAhead {
 public:
  /// The next rows, so many; fewer only at the end.
  using Source = std::function<std::vector<Coded>(std::size_t)>;

  /// @param more  called by next() alone, on its thread.
  explicit DecodeAhead(Source more);

  /// The next row, in the order given; nullopt at the end. @throws what `more` or decode() throws.
  std::optional<LogRow> next();

 private:
  using Rows = std::vector<LogRow>;

  void refill();

  Source more_;
  std::size_t most_;        ///< batches at once
  bool is_at_end_ = false;  ///< `more` has no rows left
  std::deque<std::future<Rows>> ahead_;
  Rows rows_;
  std::size_t taken_ = 0;  ///< of rows_
};

}  // namespace dlrun::storage
