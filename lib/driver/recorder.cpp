// SPDX-License-Identifier: Apache-2.0
#include "driver/recorder.hpp"

#include <fmt/format.h>

namespace dlrun::driver {

void Recorder::absorb(const Incoming& incoming) {
  const auto failure = as_failure(incoming);
  record(failure ? *failure : incoming);
}

/// A result that lacks a number is recorded as the failure that the study takes it for.
std::optional<Incoming> Recorder::as_failure(const Incoming& incoming) const {
  const auto* ended = std::get_if<study::PieceEnded>(&incoming.event);
  if (!ended || is_stale(incoming.event)) return std::nullopt;
  const auto lack = parts_.study.lack_of(ended->result);
  if (!lack) return std::nullopt;
  Incoming failure = incoming;
  trial::PieceResult& result = std::get<study::PieceEnded>(failure.event).result;
  result.outcome = trial::Outcome::failed;
  result.cause = lack->cause;
  result.message = lack->message;
  return failure;
}

void Recorder::record(const Incoming& incoming) {
  const bool is_fenced = is_stale(incoming.event);
  if (!is_fenced) add_event(incoming);
  const Clock::duration wait = parts_.retrying.wait_after(incoming.event);
  const study::Output out = parts_.study.absorb(incoming.event);
  for (const study::Event& event : out.events) {
    parts_.store.add(event);
    tell_overtaken(event);
  }
  parts_.effects.carry_out(out.effects, wait);
  if (const auto* test = std::get_if<study::TestMeasured>(&incoming.event)) tell_test(test->result);
  if (incoming.worker >= 0) parts_.outbox.acknowledge(incoming.worker, *incoming.attempt, is_fenced);
}

/// Is it the end of an attempt that does not count any more?
bool Recorder::is_stale(const study::Event& event) const {
  const auto* ended = std::get_if<study::PieceEnded>(&event);
  const auto* lost = std::get_if<study::AttemptLost>(&event);
  return (ended && !parts_.study.is_current(ended->result.key, ended->result.attempt)) ||
         (lost && !parts_.study.is_current(lost->key, lost->attempt));
}

void Recorder::add_event(const Incoming& incoming) {
  if (!incoming.citation) return parts_.store.add(incoming.event);
  parts_.store.cite(std::get<study::PieceEnded>(incoming.event), *incoming.citation);
  ++cited_;
}

void Recorder::decide() {
  const study::Output out = parts_.study.decide();
  for (const study::Decision& decision : out.decisions) add_decision(decision);
  parts_.effects.carry_out(out.effects);
}

void Recorder::add_decision(const study::Decision& decision) {
  parts_.store.add(decision);
  if (decision.kind != study::DecisionKind::start) return;
  const trial::TrialId trial = decision.key.member.trial;
  if (const auto origin = parts_.origins.of(trial)) parts_.store.attempts().descend(trial, *origin);
}

void Recorder::tell_overtaken(const study::Event& event) {
  const auto& lost = std::get<study::AttemptLost>(event);
  parts_.display.line(
      fmt::format("{}: {}, attempt {} is given up", trial::describe(lost.key.member), lost.message, lost.attempt));
}

/// A study may end without its test: the search is not undone for that, but people must see it.
void Recorder::tell_test(const trial::PieceResult& result) {
  if (result.outcome != trial::Outcome::failed) return;
  const std::string text = "the test split was not measured: " + result.message;
  parts_.store.note(result.key.member.trial, text);
  parts_.display.line("warning: " + trial::describe(result.key.member) + ": " + text);
}

}  // namespace dlrun::driver
