// SPDX-License-Identifier: Apache-2.0
#include "storage/raced_winner.hpp"

#include "storage/clock.hpp"
#include "storage/schema.hpp"

namespace dlrun::storage {

namespace {

constexpr int kRaces = 19;  ///< schema that brought them

}  // namespace

void write_winner(Database& study, const RacedWinner& winner) {
  if (const auto known = raced_winner(study); known && known->race == winner.race) return;
  const auto part = [&](auto WinnerValue::*member) {
    return winner.value ? std::optional((*winner.value).*member) : std::nullopt;
  };
  study
      .prepare(
          "INSERT INTO dl_winner (time, trial, race, completed, contenders, runs, measured, metric, value, low, high, "
          "rests_on) SELECT ?1, ?2, ?3, count(*), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM dl_trial WHERE state = 3")
      .run(now_ms(), winner.trial.value, winner.race, winner.contenders, winner.runs, winner.measured,
           part(&WinnerValue::metric), part(&WinnerValue::value), part(&WinnerValue::low), part(&WinnerValue::high),
           part(&WinnerValue::rests_on));
}

std::optional<RacedWinner> raced_winner(Database& study) {
  std::optional<RacedWinner> last = last_winner(study);
  if (last && last->completed != study.integer("SELECT count(*) FROM dl_trial WHERE state = 3")) last.reset();
  return last;
}

std::optional<RacedWinner> last_winner(Database& study) {
  if (schema_of(study) < kRaces) return std::nullopt;
  Statement row = study.prepare(
      "SELECT trial, race, contenders, runs, measured, metric, value, low, high, rests_on, completed FROM dl_winner "
      "ORDER BY number DESC LIMIT 1");
  if (!row.step()) return std::nullopt;
  RacedWinner winner{trial::TrialId(row.integer(0)),
                     std::string(row.text(1)),
                     row.integer(2),
                     row.integer(3),
                     row.real(4),
                     {},
                     row.integer(10)};
  if (!row.is_null(6))
    winner.value = {std::string(row.text(5)), row.real(6), row.real(7), row.real(8), std::string(row.text(9))};
  return winner;
}

std::int64_t races_of(Database& study) {
  return schema_of(study) < kRaces ? 0 : study.integer("SELECT count(*) FROM dl_winner");
}

}  // namespace dlrun::storage
