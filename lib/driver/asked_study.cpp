// SPDX-License-Identifier: Apache-2.0
#include "driver/asked_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "driver/asked_session.hpp"
#include "storage/clock.hpp"
#include "study/objective.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

using study::StartPiece;

// ---- ask

std::optional<StartPiece> piece_for(AskedSession& session, std::optional<trial::TrialId> only) {
  for (const StartPiece& piece : session.pending()) {
    const bool is_wanted = only ? piece.key.member.trial == *only : !session.given_at(piece).has_value();
    if (is_wanted) return piece;
  }
  return std::nullopt;
}

Asked give(AskedSession& session, const StartPiece& piece) {
  session.store().attempts().forget_others(piece.key, piece.attempt);
  session.store().attempts().start(
      {.key = piece.key, .attempt = piece.attempt, .worker = 0, .resume = {}, .partial = {}, .donor = {}});
  session.commit();
  const space::Values values = session.study().trial(piece.key.member.trial).values;
  return {.piece = piece, .params = session.study().space().params(values), .awaited = {}, .reason = {}};
}

/// One lane more; what is decided without a piece for it is not recorded.
std::optional<StartPiece> piece_of_new_lane(AskedSession& session) {
  session.begin();
  session.recorder().absorb({study::LaneAdded{}});
  session.recorder().decide();
  auto piece = piece_for(session, {});
  if (!piece) session.store().rollback();
  return piece;
}

std::string state_text(const study::TrialView& trial) {
  if (trial.state == trial::TrialState::paused) return fmt::format("waits at step {} for its verdict", trial.steps);
  if (trial.state == trial::TrialState::failed) return "has failed";
  return fmt::format("is {}", trial::to_string(trial.state));
}

/// A trial that is over has nothing to do.
void require_more_to_do(AskedSession& session, trial::TrialId id) {
  const study::TrialView trial = session.study().trial(id);
  if (trial::is_final(trial.state))
    throw Error(ErrorKind::usage, fmt::format("trial {} {}: there is nothing to do", id.value, state_text(trial)));
}

Asked ask(AskedSession& session, std::optional<trial::TrialId> only) {
  session.begin();
  session.recorder().decide();
  if (const auto piece = piece_for(session, only)) return give(session, *piece);
  session.commit();
  if (only) require_more_to_do(session, *only);
  const bool may_grow = session.spec().rules.arrival && !only && !session.study().is_finished();
  std::vector<trial::PieceKey> awaited = session.study().awaited();
  const std::string reason = session.study().finish_reason();
  if (may_grow) {
    if (const auto piece = piece_of_new_lane(session)) return give(session, *piece);
  }
  return {.piece = {}, .params = {}, .awaited = std::move(awaited), .reason = reason};
}

// ---- tell

std::string name_of(const trial::Member& member) { return trial::describe(member); }

void require_member(AskedSession& session, const trial::Member& member) {
  const std::int64_t count = session.study().trial_count();
  if (member.trial.value < 0 || member.trial.value >= count)
    throw Error(ErrorKind::not_found, fmt::format("{} has no trial {}", session.spec().name, member.trial.value),
                count == 0 ? "dlrun ask gives the first one" : fmt::format("the last one is {}", count - 1));
  if (!session.study().members().has(member))
    throw Error(ErrorKind::not_found, fmt::format("{} is none that the study has", name_of(member)),
                "dlrun ask says which replicate and fold it gives out");
}

bool is_equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Metrics of the step that were not told before. @throws Error(usage) for another value of one that was
std::vector<trial::Metric> fresh_metrics(AskedSession& session, const Tell& tell, std::int64_t step) {
  const auto reports = session.store().attempts().values_of(tell.member, step - 1, step);
  std::vector<trial::Metric> fresh;
  for (const trial::Metric& metric : tell.metrics) {
    const trial::Metric* known = nullptr;
    for (const trial::Report& report : reports) {
      for (const trial::Metric& other : report.metrics) known = other.name == metric.name ? &other : known;
    }
    if (known == nullptr) fresh.push_back(metric);
    if (known != nullptr && !is_equal(known->value, metric.value))
      throw Error(
          ErrorKind::usage,
          fmt::format("{} at step {} of {} is {} already", metric.name, step, name_of(tell.member), known->value),
          "the first value counts");
  }
  return fresh;
}

/// The member's piece, given out and not past this step.
StartPiece require_open(AskedSession& session, const trial::Member& member, std::int64_t step) {
  const auto piece = session.piece_of(member);
  const char* const help = "dlrun ask gives out what is to be done next";
  if (!piece)
    throw Error(ErrorKind::usage,
                fmt::format("{} {}", name_of(member), state_text(session.study().trial(member.trial))), help);
  if (!session.given_at(*piece))
    throw Error(ErrorKind::usage,
                fmt::format("{} was not asked for yet from step {} on", name_of(member), piece->from_step + 1), help);
  if (step <= piece->from_step || step > piece->to_step)
    throw Error(ErrorKind::usage,
                fmt::format("step {} is not asked for: {} is to go from step {} to step {}", step, name_of(member),
                            piece->from_step + 1, piece->to_step),
                help);
  return *piece;
}

std::vector<std::string> missing_metrics(const spec::StudySpec& spec, const std::vector<trial::Report>& last) {
  std::vector<std::string> needed = study::needed_metrics(spec.rules);
  std::erase_if(needed, [&](const std::string& name) {
    return std::any_of(last.begin(), last.end(), [&](const trial::Report& report) {
      return std::any_of(report.metrics.begin(), report.metrics.end(), [&](auto& m) { return m.name == name; });
    });
  });
  return needed;
}

/// The step of a told objective that is no number, if it is none.
bool has_diverged(const spec::StudySpec& spec, const std::vector<trial::Metric>& metrics) {
  return std::any_of(metrics.begin(), metrics.end(), [&](const trial::Metric& metric) {
    return metric.name == spec.rules.objective.metric && !std::isfinite(metric.value);
  });
}

/// The result of the piece, if it has ended by what was told.
std::optional<trial::PieceResult> result_of(AskedSession& session, const StartPiece& piece, const Tell& tell,
                                            std::int64_t step) {
  const trial::Member& member = piece.key.member;
  storage::AttemptRows& rows = session.store().attempts();
  trial::PieceResult result;
  result.key = piece.key;
  result.attempt = piece.attempt;
  result.reports = rows.values_of(member, piece.from_step, piece.to_step);
  result.seconds = double(storage::now_ms() - session.given_at(piece).value()) / 1000;
  const auto fail = [&](trial::Cause cause, const std::string& message) {
    result.outcome = trial::Outcome::failed;
    result.cause = cause;
    result.message = message;
    result.reports.clear();  // values of an attempt that failed count for nothing
    return result;
  };
  const std::string& metric = session.spec().rules.objective.metric;
  if (tell.failure) return fail(trial::Cause::exception, *tell.failure);
  if (has_diverged(session.spec(), tell.metrics))
    return fail(trial::Cause::nan, fmt::format("{} is not finite at step {}", metric, step));
  if (!missing_metrics(session.spec(), rows.values_of(member, piece.to_step - 1, piece.to_step)).empty())
    return std::nullopt;
  if (const auto lack = session.study().lack_of(result)) return fail(lack->cause, lack->message);
  return result;
}

/// As things stand after the call.
Heard heard(AskedSession& session, const Tell& tell, bool is_known) {
  Heard out{.is_known = is_known, .missing = {}, .trial = session.study().trial(tell.member.trial)};
  const auto piece = session.piece_of(tell.member);
  if (piece && session.given_at(*piece)) {
    out.missing = missing_metrics(
        session.spec(), session.store().attempts().values_of(tell.member, piece->to_step - 1, piece->to_step));
  }
  return out;
}

/// The last step of a member that has any value; 0: none has.
std::int64_t last_told(AskedSession& session, const trial::Member& member) {
  const auto all = session.store().attempts().values_of(member, 0, session.spec().rules.epochs);
  return all.empty() ? 0 : all.back().step;
}

Heard hear(AskedSession& session, const Tell& tell) {
  require_member(session, tell.member);
  const study::TrialView before = session.study().trial(tell.member.trial);
  const auto open = session.piece_of(tell.member);
  const std::int64_t step = tell.step.value_or(open ? open->to_step : last_told(session, tell.member));
  const auto fresh = fresh_metrics(session, tell, step);
  const bool has_failed = tell.failure && before.state == trial::TrialState::failed && !open;
  if (fresh.empty() && (!tell.failure || has_failed)) return heard(session, tell, true);
  const StartPiece piece = require_open(session, tell.member, step);
  session.begin();
  session.store().attempts().telemetry(piece.key, piece.attempt, {step, fresh});
  if (auto result = result_of(session, piece, tell, step)) {
    session.recorder().absorb({study::PieceEnded{std::move(*result)}});
    session.recorder().decide();
  }
  session.commit();
  return heard(session, tell, false);
}

}  // namespace

Asked ask(const spec::StudySpec& spec, const Options& options, Display& display, std::optional<trial::TrialId> only) {
  AskedSession session(spec, options, display);
  if (only) require_member(session, {*only});
  Asked asked = ask(session, only);
  session.close();
  return asked;
}

Heard tell(const spec::StudySpec& spec, const Options& options, Display& display, const Tell& tell) {
  AskedSession session(spec, options, display);
  Heard out = hear(session, tell);
  session.close();
  return out;
}

}  // namespace dlrun::driver
