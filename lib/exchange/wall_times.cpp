// SPDX-License-Identifier: Apache-2.0
#include "exchange/wall_times.hpp"

#include <algorithm>
#include <cmath>

namespace dlrun::exchange {

namespace {

/// Attempts of pieces that were decided, in the order of their members.
constexpr const char* kSpans =
    "SELECT d.trial, d.replicate, d.fold, d.from_step, d.to_step, a.attempt, a.started, a.finished FROM dl_decision d "
    "JOIN dl_attempt a ON a.trial = d.trial AND a.replicate = d.replicate AND a.fold = d.fold AND a.piece = d.piece "
    "WHERE d.kind < 2 AND a.started IS NOT NULL ORDER BY d.trial, d.replicate, d.fold, d.from_step, a.attempt";

bool has_step(const Span& span, const Measured& measured) {
  return span.from_step < measured.step && measured.step <= span.to_step;
}

/// The higher, the better is the span for the value; negative: it is none for it.
int fitness(const Span& span, const Measured& measured) {
  if (span.replicate != measured.replicate || span.fold != measured.fold || span.from_step >= measured.step) return -1;
  if (!has_step(span, measured)) return 0;
  return span.attempt == measured.attempt ? 2 : 1;
}

std::int64_t time_within(const Span& span, std::int64_t step) {
  const auto steps = double(std::max<std::int64_t>(1, span.to_step - span.from_step));
  const double share = std::clamp(double(step - span.from_step) / steps, 0.0, 1.0);
  return span.started + std::int64_t(std::llround(share * double(span.finished - span.started)));
}

}  // namespace

SpanReader::SpanReader(const report::OpenedStudy& study, std::int64_t newest)
    : rows_(study.query(kSpans)), newest_(newest), has_row_(rows_.step()) {}

Span SpanReader::span() const {
  Span out{int(rows_.integer(1)), int(rows_.integer(2)), rows_.integer(3),
           rows_.integer(4),      rows_.integer(5),      rows_.integer(6)};
  out.finished = std::max(out.started, rows_.is_null(7) ? newest_ : rows_.integer(7));
  return out;
}

std::vector<Span> SpanReader::spans_of(std::int64_t trial) {
  std::vector<Span> out;
  for (; has_row_ && rows_.integer(0) <= trial; has_row_ = rows_.step()) {
    if (rows_.integer(0) == trial) out.push_back(span());
  }
  return out;
}

std::int64_t time_of(const std::vector<Span>& spans, const Measured& measured, std::int64_t otherwise) {
  const Span* best = nullptr;
  for (const Span& span : spans) {
    const int fit = fitness(span, measured);
    if (fit >= 0 && (best == nullptr || fit >= fitness(*best, measured))) best = &span;
  }
  return best == nullptr ? otherwise : time_within(*best, measured.step);
}

}  // namespace dlrun::exchange
