// SPDX-License-Identifier: Apache-2.0
#include "energy/counter.hpp"

namespace dlrun::energy {

namespace {
constexpr double kLate = 0.1;  ///< seconds by which a counter may lag behind
}  // namespace

std::string_view to_string(Source source) {
  switch (source) {
    case Source::cpu: return "cpu";
    case Source::dram: return "dram";
    case Source::gpu: return "gpu";
  }
  return {};
}

std::optional<double> spent_between(const Span& span) {
  const bool is_round = span.now < span.before;  // or was set back: the limit below tells
  if (is_round && (span.range == 0 || span.before > span.range)) return std::nullopt;
  const double most = kMostWatts * (span.seconds + kLate);
  if (span.range > 0 && most * span.per_joule >= double(span.range)) return std::nullopt;
  const std::uint64_t moved = is_round ? span.range - span.before + span.now : span.now - span.before;
  const double joules = double(moved) / span.per_joule;
  return joules <= most ? std::optional(joules) : std::nullopt;
}

}  // namespace dlrun::energy
