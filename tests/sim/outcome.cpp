// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <cmath>
#include <limits>

#include "util/json.hpp"
#include "util/random.hpp"
#include "util/sha256.hpp"

namespace dlrun::sim {

namespace {

/// The trial's fate, drawn once from its values: each event at an epoch, 0: never.
struct Fate {
  double quality, speed;
  std::int64_t nan_at, raises_at, ends_at;
};

Fate fate(const Scenario& s, const std::string& params) {
  RandomStream random(s.seed, {"sim", "fate", params});
  const auto epoch = [&](double share) {
    const bool happens = random.uniform() < share;
    const auto at = std::int64_t(random.below(std::uint64_t(s.rules.epochs))) + 1;
    return happens ? at : 0;
  };
  Fate f{};
  f.quality = random.uniform();
  f.speed = random.uniform();
  f.nan_at = epoch(s.nature.nan);
  f.raises_at = epoch(s.nature.exception);
  f.ends_at = epoch(s.nature.early);
  return f;
}

double value_at(const Scenario& s, const Fate& f, const std::string& params, std::int64_t epoch) {
  RandomStream random(s.seed, {"sim", "noise", params, std::to_string(epoch)});
  const double value = f.quality + std::exp(-f.speed * double(epoch)) + 0.1 * random.normal();
  return s.nature.coarse ? std::round(value * 10) / 10 : value;
}

bool is_in(std::int64_t epoch, const study::StartPiece& piece) {
  return epoch > piece.from_step && epoch <= piece.to_step;
}

void fail(trial::PieceResult& result, trial::Cause cause, const char* message) {
  result.outcome = trial::Outcome::failed;
  result.cause = cause;
  result.message = message;
}

}  // namespace

trial::PieceResult outcome(const Scenario& s, const space::Values& values, const study::StartPiece& piece) {
  std::string params = sim::params(s, values);
  if (const int member = s.rules.members.index_of(piece.key.member); member > 0) params += std::to_string(member);
  const Fate f = fate(s, params);
  trial::PieceResult result;
  result.key = piece.key;
  result.attempt = piece.attempt;
  std::int64_t to = piece.to_step;
  if (is_in(f.ends_at, piece)) to = f.ends_at;
  result.outcome = to == f.ends_at ? trial::Outcome::early : trial::Outcome::completed;
  for (std::int64_t e = piece.from_step + 1; e <= to; ++e) {
    if (e == f.raises_at) return fail(result, trial::Cause::exception, "no such file"), result;
    double value = s.nature.metric ? s.nature.metric(values, e) : value_at(s, f, params, e);
    if (e == f.nan_at) value = std::numeric_limits<double>::quiet_NaN();
    result.reports.push_back({e, {{s.rules.objective.metric, value}}});
    if (!s.rules.further.empty() || !s.rules.bounds.empty()) {
      RandomStream random(s.seed, {"sim", "goals", params, std::to_string(e)});
      result.reports.back().metrics.push_back({"val.cost", random.uniform()});
      result.reports.back().metrics.push_back({"val.size", random.uniform()});
    }
    if (e == f.nan_at && e % 2 == 0) return fail(result, trial::Cause::nan, "loss is nan"), result;
  }
  result.artifacts.push_back({"last", Sha256::hex_of(params + std::to_string(to)), 1, to});
  return result;
}

}  // namespace dlrun::sim
