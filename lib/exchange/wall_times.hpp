// SPDX-License-Identifier: Apache-2.0
// Times of epochs. The store has the begin and the end of each attempt, not of each epoch: between them epochs are
// taken as equally long, so that equal stores give equal times.
#pragma once
#include <cstdint>
#include <vector>

#include "report/opened.hpp"

namespace dlrun::exchange {

/// An attempt, with the steps of its piece.
struct Span {
  int replicate = 0;
  int fold = 0;
  std::int64_t from_step = 0;
  std::int64_t to_step = 0;
  std::int64_t attempt = 0;
  std::int64_t started = 0;   ///< ms since 1970
  std::int64_t finished = 0;  ///< the newest time of the study's log while it runs
};

/// Attempts of trial after trial, by one pass over the study.
class SpanReader {
 public:
  /// @param newest  end of attempts that still run, ms
  SpanReader(const report::OpenedStudy& study, std::int64_t newest);
  /// REQUIRES: trials are asked for in ascending order.
  std::vector<Span> spans_of(std::int64_t trial);

 private:
  Span span() const;

  storage::Statement rows_;
  std::int64_t newest_;
  bool has_row_;
};

/// Where a value was measured.
struct Measured {
  int replicate = 0;
  int fold = 0;
  std::int64_t step = 0;
  std::int64_t attempt = 0;
};

/// Time of a value: by the attempt that measured it, else by another one of the same piece or of the newest piece
/// before. `otherwise`: the member has no attempt.
std::int64_t time_of(const std::vector<Span>& spans, const Measured& measured, std::int64_t otherwise);

}  // namespace dlrun::exchange
