// SPDX-License-Identifier: Apache-2.0
#include "driver/amending.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "driver/sampling.hpp"
#include "driver/spec_diff.hpp"
#include "space/asked.hpp"
#include "space/carry.hpp"
#include "spec/normal.hpp"
#include "storage/spec_table.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

using Defaults = std::map<std::string, std::string>;

constexpr std::size_t kMostChanges = 100;

/// Value at a dotted place of the trial; elements of lists go by their name. Null: there is none.
Json value_at(const Json& trial, const std::string& place) {
  const Json* here = &trial;
  std::size_t begin = 0;
  while (begin <= place.size()) {
    const std::size_t end = std::min(place.find('.', begin), place.size());
    const std::string key = place.substr(begin, end - begin);
    if (here->is_array()) {
      const auto found =
          std::find_if(here->begin(), here->end(), [&](const Json& e) { return e.value("name", "") == key; });
      if (found == here->end()) return {};
      here = &*found;
    } else if (here->is_object() && here->contains(key)) {
      here = &(*here)[key];
    } else {
      return {};
    }
    begin = end + 1;
  }
  return *here;
}

std::vector<std::string> new_names(const spec::StudySpec& before, const spec::StudySpec& now) {
  std::vector<std::string> names;
  for (const space::Parameter& p : now.space.parameters()) {
    if (!before.space.find(p.name)) names.push_back(p.name);
  }
  return names;
}

/// Value of a parameter; earlier trials may have had one outside of its domain. @throws Error(usage) for another type
/// or an unknown choice.
space::Value value_of(const space::Parameter& p, const Json& json) {
  using space::Type;
  if (p.type == Type::real && json.is_number()) return json.get<double>();
  if (p.type == Type::integer && json.is_number_integer()) return json.get<std::int64_t>();
  const auto found = std::find(p.choices.begin(), p.choices.end(), json);
  if (found != p.choices.end()) return space::Choice{static_cast<std::uint32_t>(found - p.choices.begin())};
  const bool is_number = p.type == Type::real || p.type == Type::integer;
  throw Error(ErrorKind::usage,
              fmt::format("space.{}: trials so far had {}, which is {}", p.name, to_text(json),
                          is_number ? "no value of its type" : "not among its choices"),
              is_number ? "" : "add it to the choices: a trial must have one of them");
}

std::string default_of(const spec::StudySpec& before, const spec::StudySpec& now, const std::string& name,
                       const Defaults& given) {
  const std::size_t index = *now.space.find(name);
  const space::Parameter& p = now.space.parameters()[index];
  const Json stands = p.at.empty() ? Json() : value_at(before.json.at("trial"), p.at);
  const auto asked = given.find(name);
  if (!stands.is_null() && asked != given.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("--default {}: trials so far had {}, as {} says", name, to_text(stands), p.at),
                "leave the option out");
  }
  if (!stands.is_null()) return to_text(stands);
  if (asked != given.end()) return to_text(space::typed(now.space, index, asked->second));
  throw Error(ErrorKind::usage, fmt::format("space.{} is new, and nothing says what trials so far had of it", name),
              fmt::format("--default {}=VALUE", name));
}

/// The choices that a constraint takes away from a parameter of this name; null: it is no such constraint.
Json taken_away(const Json& constraint, const spec::StudySpec& spec) {
  if (!constraint.is_object() || !constraint.contains("forbid") || constraint["forbid"].size() != 1) return {};
  const auto forbidden = constraint["forbid"].begin();
  const auto index = spec.space.find(forbidden.key());
  const bool has_choices = index && !spec.space.parameters()[*index].choices.empty();
  return has_choices ? forbidden.value() : Json();
}

/// The parameter without the choices that constraints take away.
space::Parameter open_domain(const spec::StudySpec& spec, space::Parameter p) {
  for (const Json& constraint : spec.json.value("constraints", Json::array())) {
    const Json taken = taken_away(constraint, spec);
    if (taken.is_null() || constraint["forbid"].begin().key() != p.name) continue;
    std::erase_if(p.choices, [&](const Json& c) { return std::find(taken.begin(), taken.end(), c) != taken.end(); });
  }
  return p;
}

void space_changes(const spec::StudySpec& before, const spec::StudySpec& now, std::vector<std::string>& lines) {
  for (const space::Parameter& p : now.space.parameters()) {
    const auto was = before.space.find(p.name);
    const std::string is = space::domain_text(open_domain(now, p));
    if (!was) {
      lines.push_back(fmt::format("space.{}: new, {}", p.name, is));
      continue;
    }
    const std::string old = space::domain_text(open_domain(before, before.space.parameters()[*was]));
    if (is != old) lines.push_back(fmt::format("space.{}: {} -> {}", p.name, old, is));
  }
}

/// Normal form without the parts that space_changes() covers.
Json rest_of(const spec::StudySpec& spec) {
  Json rest = spec::identity_of(spec.json);
  rest.erase("space");
  Json constraints = Json::array();
  for (const Json& constraint : spec.json.value("constraints", Json::array())) {
    if (taken_away(constraint, spec).is_null()) constraints.push_back(constraint);
  }
  rest["constraints"] = constraints;
  return rest;
}

bool has_other_space(const Json& a, const Json& b) {
  return a.at("space") != b.at("space") || a.value("constraints", Json()) != b.value("constraints", Json());
}

std::int64_t count_outside(const study::Study& study, const study::Amendment& to) {
  std::int64_t outside = 0;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const space::Values values = space::widened(to.space, study.trial(trial::TrialId(i)).values, to.defaults);
    if (!to.space.contains(values)) ++outside;
  }
  return outside;
}

}  // namespace

std::vector<std::string> changes(const spec::StudySpec& before, const spec::StudySpec& now) {
  std::vector<std::string> lines;
  space_changes(before, now, lines);
  for (std::string& line : spec_diff(rest_of(before), rest_of(now), kMostChanges)) lines.push_back(std::move(line));
  return lines;
}

std::string hash_of(const storage::StudyRow& row) { return row.origin.empty() ? row.hash : spec::hash_of(row.spec); }

storage::StudyRow row_of(const spec::StudySpec& spec) {
  storage::StudyRow row;
  row.name = spec.name;
  row.hash = spec.hash;
  row.spec_text = spec.text;
  row.spec = spec.json;
  row.seed = spec.seed;
  row.slack = spec.rules.slack;
  return row;
}

void refuse_amendment(const std::string& name, const std::vector<std::string>& refusals) {
  throw Error(
      ErrorKind::usage, fmt::format("study '{}' cannot be amended so:\n  {}", name, fmt::join(refusals, "\n  ")),
      fmt::format("give this one another name (`study:` or --name) and let it begin with what the first has found "
                  "(`search: {{learn_from: {}}}`)",
                  name));
}

Defaults defaults_of(const spec::StudySpec& before, const spec::StudySpec& now, const Defaults& given) {
  const std::vector<std::string> names = new_names(before, now);
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest_name(name, names);
    throw Error(ErrorKind::usage, fmt::format("--default {}: the amended study has no new parameter '{}'", name, name),
                near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  Defaults out;
  for (const std::string& name : names) out[name] = default_of(before, now, name, given);
  return out;
}

study::Amendment amendment(const spec::StudySpec& before, const spec::StudySpec& now, const Defaults& defaults) {
  study::Amendment to{now.rules, now.space, {}, {}, {}};
  for (std::size_t i = before.space.size(); i < now.space.size(); ++i) {
    const space::Parameter& p = now.space.parameters()[i];
    to.defaults.push_back(value_of(p, parse_json(defaults.at(p.name), "a default of the log")));
  }
  if (has_other_sampler(before, now) || has_other_space(before.json, now.json)) {
    to.sampler = now.sampler;
    to.make_sampler = [now](const space::Space& space, std::uint64_t seed) { return make_sampler(now, space, seed); };
  }
  if (before.json.at("search").at("pruner") != now.json.at("search").at("pruner")) to.pruner = now.pruner;
  return to;
}

Amending make_amending(const spec::StudySpec& before, const spec::StudySpec& now, int version, const Defaults& given) {
  Amending out{{}, row_of(now)};
  out.event.version = version;
  out.event.hash = now.hash;
  out.event.digest = storage::digest_of(out.row);
  out.event.changes = changes(before, now);
  out.event.defaults = defaults_of(before, now, given);
  out.event.to = std::make_shared<study::Amendment>(amendment(before, now, out.event.defaults));
  return out;
}

void require_asked_inside(const study::Study& study, const space::Space& space) {
  for (const space::Values& asked : study.asked()) {
    const auto faults = space::faults_of_asked(space, study.space().params(asked));
    if (faults.empty()) continue;
    throw Error(ErrorKind::usage,
                fmt::format("values that were asked for are outside of the amended space: {}", faults.front().message),
                "let them run first, or amend the space so that they are inside");
  }
}

study::Output record(const Amending& amending, const space::Space& space, study::Study& study, storage::Store& store) {
  std::vector<space::Values> values;
  for (std::int64_t i = 0; i < study.trial_count(); ++i)
    values.push_back(space::widened(space, study.trial(trial::TrialId(i)).values, amending.event.to->defaults));
  store.amend(amending.event, amending.row, space, values);
  return study.absorb(amending.event);
}

std::vector<std::string> describe(const Amending& amending, const study::Study& study) {
  std::vector<std::string> lines{
      fmt::format("version {} of the spec of '{}':", amending.event.version, amending.row.name)};
  for (const std::string& change : amending.event.changes) lines.push_back("  " + change);
  for (const auto& [name, value] : amending.event.defaults) {
    lines.push_back(fmt::format("  {} trial{} so far: {} {}", study.trial_count(), study.trial_count() == 1 ? "" : "s",
                                name, value));
  }
  const std::int64_t outside = count_outside(study, *amending.event.to);
  if (outside > 0) {
    lines.push_back(
        fmt::format("  {} of {} trials are outside of the amended space: they stay, the sampler is not told of them",
                    outside, study.trial_count()));
  }
  return lines;
}

}  // namespace dlrun::driver
