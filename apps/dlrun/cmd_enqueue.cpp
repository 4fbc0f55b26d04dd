// SPDX-License-Identifier: Apache-2.0
// dlrun enqueue STUDY NAME=VALUE...
#include <fmt/format.h>

#include <map>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "space/asked.hpp"
#include "spec/study_spec.hpp"
#include "steer.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

Json asked_of(const space::Space& space, const std::vector<std::string>& words) {
  Json asked = Json::object();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, fmt::format("'{}' gives no parameter a value", words[i]), "write NAME=VALUE");
    }
    const std::string name = words[i].substr(0, equals);
    if (asked.contains(name)) throw Error(ErrorKind::usage, fmt::format("'{}' is given twice", name));
    const auto parameter = space.find(name);
    const std::string text = words[i].substr(equals + 1);
    asked[name] = parameter ? space::typed(space, *parameter, text) : Json(text);
  }
  return asked;
}

/// A trial that has exactly these values.
std::optional<std::int64_t> trial_with(const Arguments& arguments, const std::string& study, const space::Space& space,
                                       const space::Values& wanted) {
  const auto rows =
      report::sql(arguments.store(), {study}, "select trial, name, value from params order by trial", report::kOwnSql);
  std::map<std::int64_t, space::Values> trials;
  for (const auto& row : rows.rows) {
    const std::size_t parameter = space.find(row[1].get<std::string>()).value();
    const std::string text = row[2].is_string() ? row[2].get<std::string>() : to_text(row[2]);
    auto& values = trials.try_emplace(row[0].get<std::int64_t>(), space.size()).first->second;
    values[parameter] = space.from_json(parameter, space::typed(space, parameter, text));
  }
  for (const auto& [number, values] : trials) {
    if (values == wanted) return number;
  }
  return std::nullopt;
}

void require_no_faults(const space::Space& space, const Json& asked) {
  const auto faults = space::faults_of_asked(space, asked);
  if (faults.empty()) return;
  throw Error(ErrorKind::usage, faults.front().message, faults.front().hint);
}

int run_enqueue(const Arguments& arguments, Console& console) {
  const auto& words = arguments.words();
  if (words.size() < 2) {
    throw Error(ErrorKind::usage, "'enqueue' needs STUDY and NAME=VALUE", "usage: dlrun enqueue STUDY NAME=VALUE...");
  }
  const std::string study = report::find_study(arguments.store(), words[0]);
  const storage::StudyRow row = storage::Store::find(arguments.store(), study).value();
  const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
  if (std::holds_alternative<pruners::Pbt>(spec.pruner.kind)) {
    throw Error(ErrorKind::usage, fmt::format("the population of {} takes no further trial", study),
                "name trials in search.enqueue: they are its first");
  }
  const space::Space& space = spec.space;
  const Json asked = asked_of(space, words);
  require_no_faults(space, asked);
  const space::Values values = space::asked_from_json(space, asked);
  if (const auto number = trial_with(arguments, study, space, values)) {
    throw Error(ErrorKind::usage, fmt::format("trial {}/{} has these values", study, *number));
  }
  const bool is_running =
      steer(arguments.store(), study, {{"command", "enqueue"}, {"values", asked}}, [&](storage::Store& open) {
        open.add(study::EnqueueAsked{values});
      }).is_running;
  console.note(is_running ? fmt::format("{} will try it next", study)
                          : fmt::format("{} will try it when it goes on: dlrun {} {}", study,
                                        spec.kind == "asked" ? "ask" : "resume", study));
  return 0;
}

}  // namespace

Verb enqueue_verb() {
  return {.name = "enqueue",
          .summary = "ask for a trial with given values",
          .text =
              "The next trial gets these values; what is left out is filled in by the sampler. It comes beside the "
              "study's limit of trials. A study that has ended goes on with `dlrun resume`.",
          .arguments =
              {{.name = "STUDY", .text = "a study", .kind = Kind::study},
               {.name = "NAME=VALUE", .text = "parameters of its space", .kind = Kind::text, .least = 1, .most = -1}},
          .options = {store_option()},
          .examples = {{"dlrun enqueue first x1=0.5 x2=3", "two values; parameters left out are filled in"},
                       {"dlrun enqueue last x1=1.5", "of the study started last"}},
          .run = run_enqueue};
}

}  // namespace dlrun::cli
