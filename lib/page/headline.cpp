// SPDX-License-Identifier: Apache-2.0
#include "page/headline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ablation/plan_json.hpp"
#include "page/markup.hpp"
#include "report/final_runs.hpp"
#include "report/winner.hpp"
#include "util/number_text.hpp"

namespace dlrun::page {

namespace {

using report::OpenedStudy;
using report::Table;

constexpr std::size_t kNamedParameters = 8;

std::string text_of(const Json& value) {
  if (value.is_number_float()) return short_number(value.get<double>());
  return value.is_string() ? value.get<std::string>() : to_text(value);
}

/// A value of a table of facts; null: no such fact.
Json fact(const Table& table, const std::string& name) {
  for (const auto& row : table.rows) {
    if (row[0] == name) return row[1];
  }
  return nullptr;
}

/// ", with `lr` 0.01 and `width` 64"
std::string settings_text(const OpenedStudy& study, std::int64_t trial) {
  const Json params = report::params_of(study, trial);
  std::vector<std::string> texts;
  for (const std::string& name : report::parameter_names(study)) {
    if (params.contains(name)) texts.push_back(fmt::format("`{}` {}", name, beginning(text_of(params[name]))));
  }
  if (texts.empty()) return {};
  std::string text = ", with ";
  const std::size_t shown = std::min(texts.size(), kNamedParameters);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : i + 1 == texts.size() ? " and " : ", ") + texts[i];
  return shown < texts.size() ? text + fmt::format(" and {} more", texts.size() - shown) : text;
}

std::string interval_text(const Table& winner, const std::string& metric) {
  const Json value = fact(winner, metric);
  return fmt::format("{} [{}, {}]", text_of(value), text_of(fact(winner, metric + "_low")),
                     text_of(fact(winner, metric + "_high")));
}

/// Value of the winner that readers may expect of new data, as far as the store knows it.
std::string expectation(const Table& winner) {
  if (!fact(winner, "shrunken").is_null())
    return "Without the luck of having been chosen, expect " + interval_text(winner, "shrunken") + ".";
  for (const auto& row : winner.rows) {
    const std::string name = row[0].get<std::string>();
    if (name.ends_with("_low"))
      return fmt::format("Expect `{}` {} of it: {}.", name.substr(0, name.size() - 4),
                         interval_text(winner, name.substr(0, name.size() - 4)), text_of(fact(winner, "rests_on")));
  }
  return {};
}

std::string first_sentence(const OpenedStudy& study, const Table& winner, const Table& best) {
  const std::int64_t ended = study.database->integer("SELECT count(*) FROM dl_trial WHERE state > 2");
  const std::int64_t open = study.database->integer("SELECT count(*) FROM dl_trial WHERE state <= 2");
  const std::int64_t trial = best.rows[0][0].get<std::int64_t>();
  const std::string value =
      fmt::format("`{}` {}{}", study.metric, text_of(best.rows[0][1]), settings_text(study, trial));
  if (const Json race = fact(winner, "race"); !race.is_null())
    return fmt::format("Trial {} won the race `{}` of {} candidates: {}.", trial, text_of(race),
                       text_of(fact(winner, "contenders")), value);
  if (ended == 1 && open == 0) return fmt::format("The only trial reached {}.", value);
  return fmt::format("Trial {} is the best of {} trial{}{}: {}.", trial, ended, ended == 1 ? "" : "s",
                     open > 0 ? " so far" : "", value);
}

std::string without_result(const OpenedStudy& study) {
  const std::int64_t trials = study.database->integer("SELECT count(*) FROM v_trials");
  const std::int64_t failed = study.database->integer("SELECT count(*) FROM v_trials WHERE state = 'failed'");
  if (failed == 0) return "No trial has a result yet.";
  if (failed < trials) return fmt::format("No trial has a result yet, and {} of {} have failed.", failed, trials);
  return failed == 1 ? "The only trial has failed." : fmt::format("All {} trials have failed.", failed);
}

std::vector<std::string> search_headline(const OpenedStudy& study) {
  const Table best = report::best_of(study, 1);
  if (best.rows.empty()) return {without_result(study)};
  const Table winner = report::winner_table(study);
  std::vector<std::string> out;
  if (!study.further.empty())
    out.push_back(fmt::format("{} trials lie on the Pareto front of {} objectives.", report::front_scores(study).size(),
                              study.further.size() + 1));
  out.push_back(first_sentence(study, winner, best));
  if (std::string expected = expectation(winner); !expected.empty()) out.push_back(std::move(expected));
  return out;
}

/// "2026-11-27 21:10 UTC" of an ISO 8601 time
std::string minute_of(std::string time) {
  constexpr std::size_t kDay = 10, kMinute = 16;
  if (time.size() < kMinute) return time;
  time[kDay] = ' ';
  return time.substr(0, kMinute) + " UTC";
}

/// Whether the study trains with what an earlier one found.
bool is_final(const Json& spec) {
  const Json final = spec.value("final", Json());
  return final.is_object() && final.contains("of");
}

/// Sentences of the first table.
std::vector<std::string> sentences_of(const std::vector<Table>& tables) {
  std::vector<std::string> out;
  if (tables.empty() || tables[0].shape != report::Shape::sentences) return out;
  for (const auto& row : tables[0].rows) out.push_back(text_of(row.back()));
  return out;
}

}  // namespace

Kind kind_of(const OpenedStudy& study) {
  const Json spec = study.spec();
  const auto plan = ablation::plan_of(spec);
  if (!plan) return Kind::search;
  if (plan->section.is_race()) return Kind::race;
  return is_final(spec) ? Kind::final : Kind::ablation;
}

const char* words_of(const OpenedStudy& study) {
  switch (kind_of(study)) {
    case Kind::search: return is_final(study.spec()) ? "final training" : "hyperparameter search";
    case Kind::ablation: return "ablation study";
    case Kind::race: return "race of variants";
    case Kind::final: break;
  }
  return "comparison of final trainings";
}

std::vector<std::string> headline_of(const OpenedStudy& study) {
  switch (kind_of(study)) {
    case Kind::search: return search_headline(study);
    case Kind::final: return sentences_of(report::final_of(study));
    case Kind::ablation:
    case Kind::race: break;
  }
  return sentences_of(report::findings_of(study, report::Audience::people));
}

std::vector<std::pair<std::string, std::string>> facts_of(const OpenedStudy& study) {
  const Table status = report::status_of(study);
  std::vector<std::pair<std::string, std::string>> facts;
  for (std::size_t i = 1; i < status.columns.size(); ++i) {
    const Json& value = status.rows[0][i];
    const std::string& name = status.columns[i];
    const bool is_told = name == "best" || name == "best_trial" || name == "metric";  // by the headline
    const bool is_time = name == "started" || name == "finished";
    if (!value.is_null() && value != 0 && !is_told)
      facts.emplace_back(name, is_time ? minute_of(value.get<std::string>()) : text_of(value));
  }
  return facts;
}

}  // namespace dlrun::page
