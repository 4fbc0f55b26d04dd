// SPDX-License-Identifier: Apache-2.0
#include "driver/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "dataset/content.hpp"
#include "driver/amending.hpp"
#include "driver/asking.hpp"
#include "driver/environment.hpp"
#include "driver/orders.hpp"
#include "driver/program_state.hpp"
#include "driver/restoring.hpp"
#include "spec/plugins_used.hpp"
#include "storage/artifact_files.hpp"
#include "storage/owners.hpp"
#include "trial/artifacts.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

namespace fs = std::filesystem;

// ---- is all there that it takes? ----

/// "'digits.csv.gz'", "one of 'images' and 'labels'": the study has one hash for all of them.
std::string named(const std::vector<fs::path>& files) {
  constexpr std::size_t kMost = 6;
  if (files.size() == 1) return fmt::format("'{}'", files.front().string());
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(fmt::format("'{}'", file.string()));
  if (names.size() > kMost) return fmt::format("one of {} files, {}, ...", names.size(), names.front());
  return fmt::format("one of {}", fmt::join(names, ", "));
}

/// Read anew: a byte may have changed under the same time and size.
void require_data(const spec::StudySpec& spec) {
  if (!spec.data) return;
  const Json& data = spec.json.at("trial").at("data");
  const dataset::Schema now = dataset::read_schema(data, {}, spec.seed);
  if (now.sha256 == spec.data->sha256) return;
  throw Error(ErrorKind::usage,
              fmt::format("the data has changed: its sha256 is {}, the trial's was {}; it is {} that is another file",
                          now.sha256, spec.data->sha256, named(dataset::files_of(data, {}))),
              "nothing was run; bring back the files as they were");
}

/// A file of weights that the study names with its content's hash.
void require_weights(const Json& section) {
  if (!section.is_object() || !section.value("from", Json()).is_string() || !section.contains("sha256")) return;
  const std::string file = section["from"].get<std::string>(), recorded = section["sha256"].get<std::string>();
  if (!fs::exists(file)) throw Error(ErrorKind::usage, "the weights it began with are gone: " + file);
  const std::string now = Sha256::hex_of(read_file(file));
  if (now == recorded) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("the weights it began with have changed: the sha256 of '{}' is {}, it was {}", file, now, recorded));
}

/// Files under `init:` and `warm_start:`.
void require_init(const spec::StudySpec& spec) {
  const Json& trial = spec.json.at("trial");
  require_weights(trial.value("init", Json()));
  const Json start = trial.value("warm_start", Json());
  if (!start.is_object()) return;
  for (const Json& donor : start.value("donors", Json::array())) require_weights(donor);
}

void require_folder(const spec::StudySpec& spec) {
  const std::string folder = spec.json.at("trial").value("folder", std::string());
  if (!trial::runs_program(spec.kind) || folder.empty() || fs::is_directory(folder)) return;
  throw Error(ErrorKind::usage, "the folder its program ran in is gone: " + folder);
}

std::string restoring(const std::string& sha256, const fs::path& store) {
  const auto owner = storage::owner_of(store, sha256);
  if (!owner) return "no study of this store made it: bring it back from a copy of the store";
  return restore_hint(owner->study, owner->trial, store);
}

/// @param what  "the checkpoint it began with"
void require_artifact(const std::string& sha256, const std::string& what, const fs::path& store,
                      const std::string& hint) {
  const auto files = storage::files_of(fs::absolute(store) / "artifacts", sha256);
  if (files.empty()) throw Error(ErrorKind::usage, fmt::format("{} is gone: {}", what, sha256), hint);
  if (Sha256::hex_of(read_file(files.front())) == sha256) return;
  throw Error(ErrorKind::store, fmt::format("{} is damaged: {}", what, files.front().string()), hint);
}

void require_checkpoint(const std::string& sha256, const fs::path& store) {
  require_artifact(sha256, "the checkpoint it began with", store, restoring(sha256, fs::absolute(store)));
}

/// Records of ranks that did not take their steps together.
void require_records(const ReproducePlan& plan, const fs::path& store) {
  for (const storage::RecordedPiece& piece : plan.pieces) {
    for (const trial::Artifact& record : records_of(piece))
      require_artifact(record.sha256,
                       fmt::format("the record of epoch {}, by which its ranks are replayed,", record.step), store,
                       "bring it back from a copy of the store");
  }
}

/// Checkpoints of donors, of this study and of others.
void require_donors(const ReproducePlan& plan, const fs::path& store) {
  for (const storage::RecordedPiece& piece : plan.pieces) {
    if (!piece.inherited.empty()) require_checkpoint(piece.inherited, store);
  }
  if (!takes_weights(plan.spec)) return;
  for (const storage::WeightDonor& donor : donors_of(plan.spec, plan.spec.space.sets(plan.trial.values))) {
    if (!donor.study.empty()) require_checkpoint(donor.artifact, store);
  }
}

/// The threads and the kind of device that it was computed with; the stored spec's resources may be others.
void take_resources(const std::vector<storage::RecordedPiece>& pieces, const ReproduceOptions& options,
                    spec::StudySpec& spec) {
  for (const storage::RecordedPiece& piece : pieces) {
    if (piece.runtime.threads > 0) spec.threads_per_trial = piece.runtime.threads;
    if (piece.runtime.device.starts_with("cpu")) spec.device = "cpu";
  }
  spec.threads_per_trial = options.threads.value_or(spec.threads_per_trial);
}

std::vector<storage::RecordedPiece> chosen_pieces(const storage::RecordedTrial& trial,
                                                  const ReproduceOptions& options) {
  std::vector<storage::RecordedPiece> pieces = trial.pieces;
  std::erase_if(pieces, [&](const storage::RecordedPiece& piece) {
    const trial::Member& member = piece.key.member;
    const bool is_other =
        (options.replicate && member.replicate != *options.replicate) || (options.fold && member.fold != *options.fold);
    return is_other || piece.attempt == 0;
  });
  return pieces;
}

// ---- what it comes out of ----

class Inputs {
 public:
  explicit Inputs(std::vector<InputDifference>& out) : out_(out) {}
  /// Notes an input that differs; an input that was not recorded cannot.
  void compare(const std::string& input, const std::string& recorded, const std::string& now) {
    if (recorded.empty() || recorded == now) return;
    const bool is_known = std::any_of(out_.begin(), out_.end(), [&](const auto& known) {
      return known.input == input && known.recorded == recorded;
    });
    if (!is_known) out_.push_back({input, recorded, now.empty() ? "none" : now});
  }

 private:
  std::vector<InputDifference>& out_;
};

/// Compares what every piece was run by with the program as it is.
void compare_program(ReproducePlan& plan) {
  const storage::Program now = program_state(plan.spec).program;
  Inputs inputs(plan.program);
  for (const storage::RecordedPiece& piece : plan.pieces) {
    const storage::Program& then = piece.environment.program;
    plan.knows_program = plan.knows_program || then.is_recorded();
    for (const ProgramChange& change : changes_between(then, now))
      inputs.compare(change.what, change.then.empty() ? "none" : change.then, change.now);
  }
}

// ---- what came out ----

using ValueKey = std::tuple<trial::Member, std::int64_t, std::string>;
/// Key of a file: piece, epoch, role.
using FileKey = std::tuple<trial::PieceKey, std::int64_t, std::string>;

struct Outcome {
  std::map<ValueKey, double> values;
  std::map<FileKey, std::string> files;
};

Outcome outcome_of(const Rerun& rerun) {
  Outcome out;
  for (const trial::PieceResult& result : rerun.results) {
    for (const trial::Report& report : result.reports) {
      for (const trial::Metric& metric : report.metrics)
        out.values.try_emplace({result.key.member, report.step, metric.name}, metric.value);
    }
    for (const trial::Artifact& artifact : result.artifacts)
      out.files.try_emplace({result.key, artifact.step, artifact.role}, artifact.sha256);
  }
  return out;
}

/// Recorded outcome of the members and pieces that are run again.
Outcome outcome_of(const ReproducePlan& plan) {
  Outcome out;
  std::set<trial::Member> members;
  for (const storage::RecordedPiece& piece : plan.pieces) {
    members.insert(piece.key.member);
    for (const trial::Artifact& artifact : piece.artifacts)
      out.files.try_emplace({piece.key, artifact.step, artifact.role}, artifact.sha256);
  }
  for (const storage::RecordedValue& value : plan.trial.metrics) {
    if (members.contains(value.member)) out.values.try_emplace({value.member, value.step, value.metric}, value.value);
  }
  return out;
}

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}
bool is_same(const std::string& a, const std::string& b) { return a == b; }

std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(const std::string& sha256) { return sha256; }

Difference difference(const ValueKey& key) { return {std::get<0>(key), std::get<1>(key), std::get<2>(key), "", ""}; }
Difference difference(const FileKey& key) {
  return {std::get<0>(key).member, std::get<1>(key), "checkpoint " + std::get<2>(key), "", ""};
}

/// Both ways: what is missing and what is new are differences too.
template <class Key, class Value>
std::int64_t compare(const std::map<Key, Value>& recorded, const std::map<Key, Value>& now,
                     std::vector<Difference>& differences) {
  std::int64_t equal = 0;
  for (const auto& [key, value] : recorded) {
    const auto found = now.find(key);
    if (found != now.end() && is_same(value, found->second)) {
      ++equal;
      continue;
    }
    differences.push_back(difference(key));
    differences.back().recorded = text_of(value);
    if (found != now.end()) differences.back().now = text_of(found->second);
  }
  for (const auto& [key, value] : now) {
    if (recorded.contains(key)) continue;
    differences.push_back(difference(key));
    differences.back().now = text_of(value);
  }
  return equal;
}

void compare(const Outcome& recorded, const Outcome& now, Reproduction& out) {
  out.values = std::int64_t(recorded.values.size());
  out.checkpoints = std::int64_t(recorded.files.size());
  out.equal_values = compare(recorded.values, now.values, out.differences);
  out.equal_checkpoints = compare(recorded.files, now.files, out.differences);
  std::stable_sort(out.differences.begin(), out.differences.end(), [](const Difference& a, const Difference& b) {
    return std::tie(a.member, a.step) < std::tie(b.member, b.step);
  });
}

/// Pieces that end in another way than they did.
void compare_ends(const ReproducePlan& plan, const Rerun& rerun, Reproduction& out) {
  for (const trial::PieceResult& result : rerun.results) {
    const auto recorded = std::find_if(plan.pieces.begin(), plan.pieces.end(),
                                       [&](const storage::RecordedPiece& piece) { return piece.key == result.key; });
    const bool had_failed = recorded != plan.pieces.end() && recorded->state != trial::AttemptState::completed;
    const bool has_failed = result.outcome == trial::Outcome::failed;
    const std::string name = fmt::format("{}, piece {}", trial::describe(result.key.member), result.key.piece);
    if (has_failed && !had_failed) out.failures.push_back(name + " failed: " + result.message);
    if (has_failed && had_failed && result.cause != recorded->cause) {
      out.failures.push_back(fmt::format("{} failed by {}, it had by {}", name, trial::to_string(result.cause),
                                         trial::to_string(recorded->cause)));
    }
    if (!has_failed && had_failed)
      out.failures.push_back(fmt::format("{} had failed by {}, and did not", name, trial::to_string(recorded->cause)));
  }
}

std::string revision_of(const storage::Environment& e) {
  return e.git_revision.empty() ? std::string() : e.git_revision + (e.git_dirty ? " and changes" : "");
}

std::string threads_of(const trial::Runtime& runtime) {
  return runtime.threads > 0 ? std::to_string(runtime.threads) : std::string();
}

void compare_inputs(const ReproducePlan& plan, const Rerun& rerun, Reproduction& out) {
  const storage::Environment now = describe_environment(plan.spec, {});
  out.inputs = plan.program;
  Inputs inputs(out.inputs);
  inputs.compare("spec", plan.spec_hash, plan.spec.hash);
  for (const storage::RecordedPiece& piece : plan.pieces) {
    const storage::Environment& then = piece.environment;
    inputs.compare("dlrun", then.version, now.version);
    inputs.compare("libtorch", piece.runtime.libtorch, rerun.runtime.libtorch);
    inputs.compare("device", piece.runtime.device, rerun.runtime.device);
    inputs.compare("threads", threads_of(piece.runtime), threads_of(rerun.runtime));
    inputs.compare("numerics", piece.runtime.numerics, rerun.runtime.numerics);
    inputs.compare("pinned cores", piece.runtime.cores, rerun.runtime.cores);
    inputs.compare("data", then.data_sha256, now.data_sha256);
    inputs.compare("processor", then.device, now.device);
    inputs.compare("cores", then.cores > 0 ? std::to_string(then.cores) : "", std::to_string(now.cores));
    inputs.compare("code (git)", revision_of(then), revision_of(now));
    inputs.compare("system", then.os, now.os);
    inputs.compare("host", then.host, now.host);
  }
}

/// Do two runs on this machine agree?
bool is_steady(const ReproducePlan& plan, const Rerun& first, const ReproduceOptions& options) {
  RerunOptions again = options.rerun;
  again.folder = options.rerun.folder / "again";
  make_folders(again.folder);
  const Outcome one = outcome_of(first), two = outcome_of(run_again(plan.spec, plan.trial, plan.pieces, again));
  std::vector<Difference> differences;
  compare(one.values, two.values, differences);
  compare(one.files, two.files, differences);
  return differences.empty();
}

}  // namespace

ReproducePlan plan_reproduction(const std::string& study, trial::TrialId trial, const ReproduceOptions& options) {
  const fs::path& store = options.rerun.store;
  const std::vector<storage::StudyRow> versions = storage::Store::versions(store, study);
  if (versions.empty()) throw Error(ErrorKind::not_found, fmt::format("there is no study '{}'", study));
  const auto spec_of = [](const storage::StudyRow& row) { return spec::from_json(row.spec, row.spec_text); };
  ReproducePlan plan;
  plan.trial = storage::read_recorded(store, study, trial, spec_of(versions.back()).space);
  const storage::StudyRow& version = versions.at(plan.trial.version);
  plan.spec = spec_of(version);
  plan.spec_hash = hash_of(version);
  plan.trial.values.resize(plan.spec.space.size());  // later versions may have more parameters
  plan.pieces = chosen_pieces(plan.trial, options);
  if (plan.pieces.empty()) {
    throw Error(ErrorKind::usage, fmt::format("nothing of trial {}/{} has been run to an end", study, trial.value),
                options.replicate || options.fold ? "of the member that was asked for" : "");
  }
  for (const storage::RecordedPiece& piece : plan.pieces) plan.epochs += piece.to_step - piece.from_step;
  require_own_work(plan.spec, store);
  spec::require_plugins(plan.spec.json);
  require_data(plan.spec);
  require_init(plan.spec);
  require_folder(plan.spec);
  require_donors(plan, store);
  require_records(plan, store);
  take_resources(plan.pieces, options, plan.spec);
  compare_program(plan);
  return plan;
}

namespace {

/// Is the store without a sound file of this artifact?
bool is_wanted(const fs::path& file, const std::string& sha256) { return !trial::fault_of({file, sha256}).empty(); }

}  // namespace

std::vector<std::string> restore(const ReproducePlan& plan, const ReproduceOptions& options) {
  const fs::path store = fs::absolute(options.rerun.store);
  const storage::Hashes kept = storage::kept_by_all(store);
  std::set<std::string> seen;
  std::vector<std::string> out;
  for (const storage::RecordedPiece& piece : plan.pieces) {
    for (const trial::Artifact& artifact : piece.artifacts) {
      const std::string& sha256 = artifact.sha256;
      const auto made = storage::files_of(options.rerun.folder / "artifacts", sha256);
      if (made.empty() || fs::is_symlink(made.front()) || !kept.contains(sha256) || !seen.insert(sha256).second)
        continue;
      const fs::path file = store / "artifacts" / sha256.substr(0, 2) / made.front().filename();
      if (!is_wanted(file, sha256)) continue;
      make_folders(file.parent_path());
      trial::copy_artifact(made.front(), file, sha256);
      out.push_back(sha256);
    }
  }
  return out;
}

Reproduction reproduce(const ReproducePlan& plan, const ReproduceOptions& options) {
  Reproduction out;
  const Rerun rerun = run_again(plan.spec, plan.trial, plan.pieces, options.rerun);
  compare(outcome_of(plan), outcome_of(rerun), out);
  compare_ends(plan, rerun, out);
  compare_inputs(plan, rerun, out);
  for (const storage::RecordedPiece& piece : plan.pieces) {
    const bool is_new = std::find(out.cited.begin(), out.cited.end(), piece.cited) == out.cited.end();
    if (!piece.cited.empty() && is_new) out.cited.push_back(piece.cited);
  }
  if (!out.is_equal()) out.is_steady = is_steady(plan, rerun, options);
  return out;
}

}  // namespace dlrun::driver
