// SPDX-License-Identifier: Apache-2.0
#include "enqueueing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/report.hpp"
#include "space/asked.hpp"
#include "spec/study_spec.hpp"
#include "steer.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

Json asked_of(const space::Space& space, const std::vector<std::string>& words) {
  Json asked = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, fmt::format("'{}' gives no parameter a value", word), "write NAME=VALUE");
    }
    const std::string name = word.substr(0, equals);
    if (asked.contains(name)) throw Error(ErrorKind::usage, fmt::format("'{}' is given twice", name));
    const auto parameter = space.find(name);
    const std::string text = word.substr(equals + 1);
    asked[name] = parameter ? space::typed(space, *parameter, text) : Json(text);
  }
  return asked;
}

/// The value that a trial has; nullopt: it lies outside of the domain, which an amendment made narrower.
std::optional<space::Value> value_in(const space::Space& space, std::size_t parameter, const std::string& text) {
  try {
    return space.from_json(parameter, space::typed(space, parameter, text));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A trial that has exactly these values.
std::optional<std::int64_t> trial_with(const std::filesystem::path& store, const std::string& study,
                                       const space::Space& space, const space::Values& wanted) {
  const auto rows =
      report::sql(store, {study}, "select trial, name, value from params order by trial", report::kOwnSql);
  std::map<std::int64_t, space::Values> trials;
  std::set<std::int64_t> outside;
  for (const auto& row : rows.rows) {
    const std::size_t parameter = space.find(row[1].get<std::string>()).value();
    const std::string text = row[2].is_string() ? row[2].get<std::string>() : to_text(row[2]);
    const auto number = row[0].get<std::int64_t>();
    auto& values = trials.try_emplace(number, space.size()).first->second;
    if (const auto value = value_in(space, parameter, text))
      values[parameter] = *value;
    else
      outside.insert(number);
  }
  for (const auto& [number, values] : trials) {
    if (values == wanted && !outside.contains(number)) return number;
  }
  return std::nullopt;
}

/// Whether somebody asked for exactly these values before, which no trial has yet.
bool are_awaited(const std::filesystem::path& store, const spec::StudySpec& spec, const space::Values& wanted) {
  if (!space::is_complete(spec.space, wanted)) return false;  // the sampler fills in others each time
  const auto& first = spec.rules.enqueue;
  bool is_there = std::find(first.begin(), first.end(), wanted) != first.end();
  storage::read_log(store, spec.name, [&](const storage::LogRow& row) {
    const auto* event = std::get_if<study::Event>(&row);
    const auto* asked = event != nullptr ? std::get_if<study::EnqueueAsked>(event) : nullptr;
    is_there = is_there || (asked != nullptr && asked->values == wanted);
  });
  return is_there;
}

/// @throws Error(usage) if the study's design says which trials there are.
void require_open_design(const std::string& study, const spec::StudySpec& spec) {
  if (pruners::has_population(spec.pruner.kind)) {
    throw Error(ErrorKind::usage, fmt::format("the population of {} takes no further trial", study),
                "name trials in search.enqueue: they are its first");
  }
  if (spec.ablation) {
    throw Error(ErrorKind::usage, fmt::format("the design of {} takes no further trial: it runs its variants", study),
                "a study of its own may have other variants, or more replicates");
  }
}

void require_no_faults(const space::Space& space, const Json& asked) {
  const auto faults = space::faults_of_asked(space, asked);
  if (faults.empty()) return;
  throw Error(ErrorKind::usage, faults.front().message, faults.front().hint);
}

}  // namespace

Enqueued enqueue(const std::filesystem::path& store, const Wanted& wanted) {
  const std::string& study = wanted.study;
  const storage::StudyRow row = storage::Store::find(store, study).value();
  const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
  require_open_design(study, spec);
  const Json asked = asked_of(spec.space, wanted.words);
  require_no_faults(spec.space, asked);
  const space::Values values = space::asked_from_json(spec.space, asked);
  if (const auto number = trial_with(store, study, spec.space, values)) {
    throw Error(ErrorKind::usage, fmt::format("trial {}/{} has these values", study, *number));
  }
  if (are_awaited(store, spec, values)) {
    throw Error(ErrorKind::usage, "these values are asked for already",
                fmt::format("the next trials of {} get what is asked for, in order", study));
  }
  const bool is_running = steer(store, study, {{"command", "enqueue"}, {"values", asked}}, [&](storage::Store& open) {
                            open.add(study::EnqueueAsked{values});
                            if (!wanted.note.empty()) open.note({}, wanted.note);
                          }).is_running;
  if (is_running && !wanted.note.empty())
    steer(store, study, {{"command", "note"}, {"text", wanted.note}},
          [&](storage::Store& open) { open.note({}, wanted.note); });
  return {is_running, spec.kind == "asked" ? "ask" : "resume"};
}

}  // namespace dlrun::cli
