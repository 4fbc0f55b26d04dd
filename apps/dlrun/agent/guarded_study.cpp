// SPDX-License-Identifier: Apache-2.0
#include "agent/guarded_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/plan.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"

namespace dlrun::cli::agent {

namespace fs = std::filesystem;

namespace {

document::Fence fence_of(const Grant& grant) {
  std::vector<fs::path> folders = grant.data;
  folders.push_back(grant.root);
  for (const fs::path& folder : spec::config_folders()) folders.push_back(folder);
  return document::Fence(folders, grant.allows_programs ? document::Guarded::documents : document::Guarded::values);
}

spec::Source source_of(const Order& order, const Grant& grant) {
  spec::Source source{.file = below_root(order.text ? "study.yaml" : order.file, grant), .sets = order.sets};
  source.data_folders = grant.data;
  source.ablation = order.over.empty() ? spec::Ablation::allowed : spec::Ablation::required;
  if (!order.over.empty()) source.over = below_root(order.over, grant);
  source.text = order.text;
  source.fence = fence_of(grant);
  source.checkpoint = [store = grant.store](const std::string& sha256) {
    return storage::checkpoint_file(store, sha256);
  };
  source.has_study = [store = grant.store](const std::string& name) {
    return name == "last" || (storage::is_valid_name(name) && storage::Store::find(store, name));
  };
  return source;
}

bool is_kind_of_trial(const std::string& key) { return key == "kind" || key.ends_with(".kind"); }

/// Whether the normal form lets a parameter choose the kind of a trial, or holds a kind that runs a program anywhere,
/// such as in a variant of an ablation.
bool names_program(const Json& value) {
  if (!value.is_structured()) return false;
  if (value.is_object()) {
    const Json at = value.value("at", Json());
    if (at.is_string() && is_kind_of_trial(at.get<std::string>())) return true;
    for (const auto& [key, inner] : value.items()) {
      if (is_kind_of_trial(key) && inner.is_string() && trial::runs_program(inner.get<std::string>())) return true;
    }
  }
  return std::any_of(value.begin(), value.end(), names_program);
}

/// Kinds that are known to run nothing of the user's: a new kind has to be looked at first.
bool is_harmless(const std::string& kind) { return kind == "train" || kind == "function" || kind == "asked"; }

void refuse_programs(const spec::StudySpec& spec) {
  const char* const help = "whoever runs this server gives the right with --allow programs";
  if (!is_harmless(spec.kind))
    throw Error(ErrorKind::usage, fmt::format("'{}' runs a program: trials of kind '{}'", spec.name, spec.kind), help);
  if (names_program(spec.json))
    throw Error(ErrorKind::usage, fmt::format("some trials of '{}' run a program", spec.name), help);
  const Json plugins = spec.json.value("derived", Json::object()).value("plugins", Json::object());
  if (!plugins.empty())
    throw Error(ErrorKind::usage, fmt::format("'{}' runs code of the plugin '{}'", spec.name, plugins.begin().key()),
                help);
  if (spec.plugin_jobs)
    throw Error(ErrorKind::usage, fmt::format("'{}' runs code of the plugin '{}'", spec.name, spec.plugin_jobs->plugin),
                help);
  if (spec.slurm) throw Error(ErrorKind::usage, fmt::format("'{}' runs lines of shell in Slurm", spec.name), help);
}

void refuse_asked(const spec::StudySpec& spec) {
  if (spec.kind != "asked") return;
  throw Error(ErrorKind::usage, fmt::format("'{}' is of kind 'asked': its trials are not dlrun's to run", spec.name),
              "a person begins it with `dlrun ask`; ask_trial gives its trials then");
}

void refuse_more_trials(const spec::StudySpec& spec, std::int64_t most) {
  const auto trials = plan::expected_work(spec).trials;
  if (trials && *trials <= most) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' would have {} trials, but {} are allowed", spec.name,
                          trials ? std::to_string(*trials) : "any number of", most),
              "whoever runs this server gives more with --max-trials");
}

bool has_too_many(const spec::StudySpec& spec, std::int64_t most) {
  return !spec.ablation && (!spec.rules.limits.trials || *spec.rules.limits.trials > most);
}

}  // namespace

fs::path below_root(const std::string& file, const Grant& grant) {
  if (file.empty()) throw Error(ErrorKind::usage, "'' names no file", "name a study file below the root");
  fs::path path = (grant.root / file).lexically_normal();
  if (document::Fence({grant.root}).admits(path)) return path;
  throw Error(ErrorKind::usage, fmt::format("{} lies outside of the root", document::quote(file)),
              "name a file below the root, without links that lead out");
}

Guarded read_guarded(const Order& order, const Grant& grant) {
  std::vector<spec::Warning> warnings;
  Guarded out{spec::read(source_of(order, grant), &warnings), {}, order.sets};
  for (const spec::Warning& warning : warnings) out.warnings.push_back(warning.text);
  return out;
}

Guarded read_bounded(const Order& order, const Grant& grant) {
  Guarded first = read_guarded(order, grant);
  refuse_asked(first.spec);
  if (!grant.allows_programs) refuse_programs(first.spec);
  Order bounded = order;
  if (has_too_many(first.spec, grant.max_trials))
    bounded.sets.push_back(fmt::format("limits.trials={}", grant.max_trials));
  if (!first.spec.wall_seconds || *first.spec.wall_seconds > grant.max_wall)
    bounded.sets.push_back(fmt::format("limits.wall={}", std::int64_t(std::floor(grant.max_wall))));
  Guarded out = bounded.sets.size() == order.sets.size() ? std::move(first) : read_guarded(bounded, grant);
  if (!grant.allows_programs) refuse_programs(out.spec);  // the file may be another one by now
  refuse_more_trials(out.spec, grant.max_trials);
  if (!out.spec.wall_seconds || *out.spec.wall_seconds > grant.max_wall)
    throw Error(ErrorKind::usage, fmt::format("'{}' may run longer than {} s", out.spec.name, grant.max_wall));
  return out;
}

}  // namespace dlrun::cli::agent
