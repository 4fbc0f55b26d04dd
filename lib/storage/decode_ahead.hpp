// SPDX-License-Identifier: Apache-2.0
// Rows of the log, checked and decoded on other cores while those before them are taken in: of a long log that is half
// the work.
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
  using Rows = std::vector<LogRow>;
  struct Batch {
    std::size_t rows = 0;
    std::function<Rows()> decode;  ///< called once, on any thread, beside those of other batches
  };
  /// The next batch, of so many rows; of fewer only at the end.
  using Source = std::function<Batch(std::size_t)>;

  /// @param more  called by next() alone, on its thread.
  explicit DecodeAhead(Source more);

  /// The next row, in the order given; nullopt at the end. @throws what `more` or a batch's `decode` throws.
  std::optional<LogRow> next();

 private:
  void refill();
  /// false: there is none.
  bool take_batch();

  Source more_;
  std::size_t most_;        ///< batches at once
  bool is_at_end_ = false;  ///< `more` has no rows left
  std::deque<std::future<Rows>> ahead_;
  Rows rows_;
  std::size_t taken_ = 0;  ///< rows taken from rows_
};

}  // namespace dlrun::storage
