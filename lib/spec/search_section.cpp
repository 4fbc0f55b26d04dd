// SPDX-License-Identifier: Apache-2.0
#include "spec/search_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pruners/pruner.hpp"
#include "recipe/metric_direction.hpp"
#include "space/asked.hpp"
#include "space/space.hpp"
#include "spec/pruner_section.hpp"
#include "spec/sampler_section.hpp"
#include "spec/space_section.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"
#include "util/selector.hpp"
#include "util/store_name.hpp"

namespace dlrun::spec {

namespace {

constexpr std::size_t kMostObjectives = 8;  ///< the exact hypervolume grows exponentially with them

bool is_name_character(unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; }

void check_metric(const std::string& metric, const std::string& path, const std::vector<std::string>& metrics,
                  Faults& faults) {
  if (metric.starts_with("test.") || metric == "test") {
    const std::string instead = "val" + (metric == "test" ? ".loss" : metric.substr(4));
    const bool has_it = std::find(metrics.begin(), metrics.end(), instead) != metrics.end();
    return faults.at(path, "the test split is measured once, for the best, and cannot be the objective",
                     has_it ? "write " + instead : suggest("", metrics, "trials report"));
  }
  const bool is_known = metrics.empty() || std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  if (!is_known)
    faults.at(path, "trials do not report " + document::quote(metric), suggest(metric, metrics, "they report"));
  if (is_known && !is_metric_name(metric))
    faults.at(path, document::quote(metric) + " is no name for a metric", "letters, digits, '.', '_', '-' and '/'");
}

void check_grid(const Json& study, Faults& faults) {
  for (const Json& parameter : study["space"]) {
    if (parameter["type"] != "float" || !parameter["step"].is_null()) continue;
    faults.at_key(
        path_of(parameter),
        fmt::format("a grid needs finite domains, but '{}' is continuous", parameter["name"].get<std::string>()),
        parameter["scale"] == "log" ? "write the values as choices" : "give it a step, or write the values as choices");
  }
}

/// Each asks for something that can be, and no two for the same.
void check_enqueue(Json& study, Faults& faults) {
  Json& search = study["search"];
  const Json list = search["enqueue"];
  if (!list.is_array() || list.empty()) {
    const bool is_empty = list.is_array() && !faults.is_bad("search.enqueue");
    if (is_empty) faults.at_key("search.enqueue", "the list of trials is empty", "remove it");
    search.erase("enqueue");
    return;
  }
  if (faults.is_bad("space") || faults.is_bad("constraints") || faults.is_bad("search.enqueue")) return;
  const space::Space space = make_space(study["space"], study.value("constraints", Json()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = join("search.enqueue", std::to_string(i));
    for (const auto& fault : space::faults_of_asked(space, list[i])) {
      const std::string where = fault.parameter.empty() ? path : join(path, fault.parameter);
      faults.at(where, fault.message, fault.hint);
    }
    const auto first = std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) - list.begin();
    if (static_cast<std::size_t>(first) == i) continue;
    faults.clash(path, "the same trial is asked for twice", join("search.enqueue", std::to_string(first)), "first here",
                 "remove one");
  }
}

void check_name_at(const std::string& path, const std::string& name, Faults& faults) {
  const bool is_good = !name.empty() && name.size() <= 100 && std::isalnum(static_cast<unsigned char>(name[0])) != 0 &&
                       std::all_of(name.begin(), name.end(), is_name_character);
  if (is_good) return;
  faults.at(path, document::quote(name) + " is no name for a study",
            "a letter or digit, then up to 99 letters, digits, '.', '_' or '-'");
}

/// Whether there are such studies only the store can say.
void check_learning(Json& study, Faults& faults) {
  Json& search = study["search"];
  const Json names = search.value("learn_from", Json());
  if (!names.is_array() || names.empty()) {
    search.erase("learn_from");
    return;
  }
  const std::string path = "search.learn_from";
  const bool is_list = faults.was_written(path + ".0");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string()) continue;
    const std::string place = is_list ? fmt::format("{}.{}", path, i) : path;
    check_name_at(place, names[i], faults);
    if (names[i] == study["study"]) faults.at(place, "a study cannot learn from itself", "remove it");
    if (std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) > 0)
      faults.at(place, document::quote(names[i].get<std::string>()) + " is named twice", "remove one");
  }
  const auto learners = samplers_that_learn();
  const std::string sampler = sampler_name(search);
  if (std::find(learners.begin(), learners.end(), sampler) != learners.end()) return;
  faults.at_key(path, fmt::format("learn_from changes nothing, for {} takes nothing from earlier trials", sampler),
                fmt::format("samplers that learn are {}", fmt::join(learners, ", ")));
}

}  // namespace

void check_name(const Json& study, Faults& faults) {
  if (!study["study"].is_string()) return;
  const std::string name = study["study"].get<std::string>();
  check_name_at("study", name, faults);
  if (is_selector(name))
    faults.at("study", document::quote(name) + " means trials or studies where names are given",
              "take a name that is no number or range, and not all, last or best");
  if (is_store_file_name(name))
    faults.at("study", document::quote(name) + " ends as the file of another study may", kStoreFileNames);
}

namespace {

/// Numbers above 1 were always possible, so studies that have one are no error.
void warn_of_repeats(const Json& retry, Faults& faults) {
  for (const char* cause : {"signal", "exception", "oom", "nan", "timeout"}) {
    const Json count = retry.value(cause, Json());
    if (count.is_number() && count > 1)
      faults.warn(std::string("retry.") + cause,
                  fmt::format("cause {} is repeated once at most, not {} times", cause, to_text(count)),
                  "what happens twice lies in the trial: write 1");
  }
}

}  // namespace

void check_retry(const Json& study, Faults& faults) {
  const Json retry = study.value("retry", Json());
  if (!retry.is_object()) return;
  warn_of_repeats(retry, faults);
  if (!faults.was_written("retry.delay")) return;
  const Json delay = retry.value("delay", Json()), most = retry.value("max_delay", Json());
  if (delay.is_number() && most.is_number() && delay > most)
    faults.at("retry.delay",
              fmt::format("the first delay of {} s is longer than max_delay, {} s", to_text(delay), to_text(most)),
              "raise max_delay, or shorten the delay");
}

namespace {

void check_objective(Json& objective, const std::string& path, const std::vector<std::string>& metrics,
                     Faults& faults) {
  if (!objective.is_object() || !objective["metric"].is_string()) return;
  const std::string metric = objective["metric"].get<std::string>();
  check_metric(metric, path + ".metric", metrics, faults);
  if (!objective["direction"].is_null() || faults.is_bad(path)) return;
  const std::string direction = recipe::direction_of(metric);
  if (direction.empty()) {
    faults.at_key(path + ".direction",
                  "the objective needs a direction, which " + document::quote(metric) + " does not tell",
                  "write direction: minimize, or maximize");
  }
  objective["direction"] = direction.empty() ? "minimize" : direction;
}

/// Every metric is named once.
void check_distinct(const Json& list, const std::string& name, Faults& faults) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!list[i].is_object() || !list[j].is_object() || !list[i]["metric"].is_string()) continue;
      if (list[i]["metric"] != list[j]["metric"]) continue;
      faults.clash(fmt::format("{}.{}", name, i),
                   document::quote(list[i]["metric"].get<std::string>()) + " is named twice",
                   fmt::format("{}.{}", name, j), "the first time", "remove one");
    }
  }
}

void check_number(const Json& list, Faults& faults) {
  if (!list.empty() && list.size() <= kMostObjectives) return;
  faults.at("objective",
            list.empty() ? "a study needs an objective"
                         : fmt::format("a study has at most {} objectives, not {}", kMostObjectives, list.size()),
            list.empty() ? "write {metric: NAME}" : "bound the others with feasible:");
}

/// One objective is a map in the normal form, and its hypervolume says nothing.
Json only(Json objective, const std::string& path, Faults& faults) {
  if (!objective.is_object()) return objective;
  if (!objective["reference"].is_null()) {
    faults.at_key(path + ".reference", "a reference is for the hypervolume of several objectives", "remove it");
  }
  objective.erase("reference");
  return objective;
}

void check_bound(const Json& bound, const std::string& path, const std::vector<std::string>& metrics, Faults& faults) {
  if (!bound.is_object() || !bound["metric"].is_string()) return;
  const std::string metric = bound["metric"].get<std::string>();
  check_metric(metric, path + ".metric", metrics, faults);
  const Json& least = bound["min"];
  const Json& most = bound["max"];
  if (faults.is_bad(path)) return;
  if (least.is_null() && most.is_null()) {
    faults.at(path, "a bound without a limit bounds nothing", "write max: or min:");
  } else if (least.is_number() && most.is_number() && least > most) {
    faults.clash(path + ".min", fmt::format("min {} is above max {}", to_text(least), to_text(most)), path + ".max",
                 "the upper limit");
  }
}

void check_feasible(Json& study, const std::vector<std::string>& metrics, Faults& faults) {
  Json& list = study["feasible"];
  const bool is_list = faults.was_written("feasible.0");
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    check_bound(list[i], is_list ? fmt::format("feasible.{}", i) : "feasible", metrics, faults);
  }
  if (is_list) check_distinct(list, "feasible", faults);
  if (!list.is_array() || list.empty()) study.erase("feasible");
}

std::size_t count_objectives(const Json& study) {
  return study["objective"].is_array() ? study["objective"].size() : 1;
}

/// Settings that ask which of two values is better have no answer if there are several objectives.
void check_several(const Json& study, Faults& faults) {
  const std::size_t count = count_objectives(study);
  if (count < 2) return;
  const std::string who = fmt::format("the study has {} objectives", count);
  if (study["limits"].is_object() && !study["limits"]["target"].is_null()) {
    faults.at("limits.target", "a target is for one objective, but " + who, "write stall: or trials:");
  }
  const auto samplers = samplers_for_several();
  const std::string sampler = sampler_name(study["search"]);
  if (std::find(samplers.begin(), samplers.end(), sampler) == samplers.end()) {
    faults.at("search.sampler", sampler + " searches for one objective, but " + who,
              fmt::format("for several there are {}", fmt::join(samplers, ", ")));
  }
  const Json& pruner = study["search"]["pruner"];
  const auto pruners = pruners::pruner_names_for_several();
  const std::string op = pruner.is_object() ? pruner["op"].get<std::string>() : "none";
  if (std::find(pruners.begin(), pruners.end(), op) == pruners.end()) {
    faults.at("search.pruner", op + " judges by one objective, but " + who,
              fmt::format("for several there are {}", fmt::join(pruners, ", ")));
  }
}

/// Pruners that rank trials by their values alone would let infeasible ones go on before feasible ones.
void check_bounded_pruner(const Json& study, Faults& faults) {
  const Json& pruner = study["search"]["pruner"];
  if (!study.contains("feasible") || !pruner.is_object()) return;
  const auto op = pruner["op"].get<std::string>();
  const auto names = pruners_for_bounds();
  if (std::find(names.begin(), names.end(), op) != names.end()) return;
  faults.at("search.pruner", op + " judges by the objective alone, but the study bounds what is feasible",
            fmt::format("with bounds there are {}", fmt::join(names, ", ")));
}

}  // namespace

void check_objectives(Json& study, const std::vector<std::string>& metrics, Faults& faults) {
  check_feasible(study, metrics, faults);
  Json& list = study["objective"];
  if (!list.is_array()) return;
  const bool is_list = faults.was_written("objective.0") || list.empty();
  for (std::size_t i = 0; i < list.size(); ++i) {
    check_objective(list[i], is_list ? fmt::format("objective.{}", i) : "objective", metrics, faults);
  }
  if (is_list) check_number(list, faults);
  if (is_list) check_distinct(list, "objective", faults);
  if (list.size() == 1) study["objective"] = only(Json(list[0]), is_list ? "objective.0" : "objective", faults);
}

namespace {

/// The promise of a proposal is known where a Gaussian process makes it from values that can be compared.
void check_improvement(const Json& study, Faults& faults) {
  const char* path = "limits.expected_improvement";
  const std::string sampler = sampler_name(study["search"]);
  const Json& pruner = study["search"]["pruner"];
  const std::string op = pruner.is_object() ? pruner["op"].get<std::string>() : "none";
  if (sampler != "gp" && sampler != "auto")
    faults.at_key(path, fmt::format("{} expects no improvement, so the limit changes nothing", sampler),
                  "write sampler: gp or auto, or remove it");
  if (op != "none")
    faults.at_key(path,
                  fmt::format("under {} trials count by their rank, which says nothing in the objective's units", op),
                  "write stall: instead, or pruner: none");
  if (count_objectives(study) > 1)
    faults.at_key(path, "the expected improvement is of one objective", "write stall: instead");
}

/// Steps are watched where dlrun takes them, lines where a program says them.
void check_signs_of_life(const Json& study, Faults& faults) {
  const bool is_program = trial::runs_program(study["trial"].value("kind", std::string()));
  if (is_program && faults.was_written("limits.hang"))
    faults.at_key("limits.hang", "the steps of a program are not seen, so hang changes nothing",
                  "write silence: 10m, for a program that says nothing for so long");
  if (!is_program && study["limits"].contains("silence"))
    faults.at_key("limits.silence", "silence is a limit of programs", "remove it");
}

/// Limits that are there only where they are written.
void check_further_limits(Json& study, Faults& faults) {
  Json& limits = study["limits"];
  for (const char* key : {"expected_improvement", "gpu_hours", "silence"}) {
    if (limits.value(key, Json()).is_null()) limits.erase(key);
  }
  if (limits.contains("expected_improvement")) check_improvement(study, faults);
  check_signs_of_life(study, faults);
  const Json device = study["resources"].is_object() ? study["resources"].value("device", Json()) : Json();
  if (limits.contains("gpu_hours") && device == "cpu")
    faults.at_key("limits.gpu_hours", "gpu_hours changes nothing where device is cpu",
                  "write device: cuda or auto under resources, or remove it");
}

/// In order of arrival every result is visible at once.
void check_order(const Json& search, Faults& faults) {
  for (const char* key : {"slack", "stagger"}) {
    const std::string path = join("search", key);
    if (search["order"] == "arrival" && faults.was_written(path))
      faults.at_key(path, fmt::format("'{}' changes nothing in order of arrival", key), "remove it");
  }
}

}  // namespace

void check_search(Json& study, Faults& faults) {
  if (!study["search"].is_object() || !study["trial"].is_object()) return;
  check_several(study, faults);
  check_bounded_pruner(study, faults);
  check_order(study["search"], faults);
  check_learning(study, faults);
  check_pruner(study, faults);
  check_enqueue(study, faults);
  if (study["search"]["sampler"] == "grid") check_grid(study, faults);
  if (!study["limits"].is_object()) return;
  check_further_limits(study, faults);
  fill_limits(study, faults);
  check_pruner_limits(study, faults);
  const Json& trials = study["limits"]["trials"];
  const std::size_t asked = study["search"].value("enqueue", Json::array()).size();
  const Json& pruner = study["search"]["pruner"];
  const Json population = has_heirs(pruner) ? pruner.value("population", Json()) : Json();
  if (population.is_number_integer() && static_cast<std::int64_t>(asked) > population.get<std::int64_t>()) {
    faults.at_key("search.enqueue",
                  fmt::format("{} trials are asked for, but the population is of {}", asked, to_text(population)));
  }
  if (trials.is_number() && asked > trials.get<std::size_t>()) {
    faults.at_key("search.enqueue",
                  fmt::format("{} trials are asked for, but the limit is {}", asked, to_text(trials)));
  }
}

bool is_metric_name(const std::string& text) {
  constexpr std::size_t kLongest = 100;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return is_name_character(c) || c == '/'; });
}

}  // namespace dlrun::spec
