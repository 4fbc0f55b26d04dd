// SPDX-License-Identifier: Apache-2.0
#include "driver/opening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ablation/plan_json.hpp"
#include "driver/memory.hpp"
#include "driver/recorded_study.hpp"
#include "driver/settled.hpp"
#include "driver/spec_diff.hpp"
#include "driver/stragglers.hpp"
#include "spec/plugins_used.hpp"
#include "storage/optuna_rows.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

[[noreturn]] void refuse_other(const std::string& name, const std::vector<std::string>& lines,
                               const std::string& help) {
  throw Error(ErrorKind::store,
              fmt::format("study '{}' was started with another spec\n  {}", name, fmt::join(lines, "\n  ")), help);
}

/// The file's spec as the version that made the study would have read it.
spec::StudySpec as_recorded(const spec::StudySpec& file, const storage::StudyRow& row) {
  Json json = file.json;
  ablation::keep_seeds(row.spec, json);
  return json == file.json ? file : spec::from_json(json, file.text);
}

/// Spec that the study is to have, if its file has changed. The file of an amended study may say the same in another
/// order.
spec::StudySpec spec_to_run(const Versions& versions, const spec::StudySpec& file, bool amends) {
  const storage::StudyRow& newest = versions.back();
  const std::string hash = hash_of(newest);
  if (file.hash == hash) return file;
  const Settled now = settled(newest.spec, file.json);
  const char* const other = "give this one another name (`study:` or --name), or delete the first";
  if (!now.refusals.empty() && amends) refuse_amendment(file.name, now.refusals);
  if (!now.refusals.empty()) refuse_other(file.name, spec_diff(newest.spec, file.json), other);
  spec::StudySpec spec = spec::from_json(now.spec, file.text);
  if (amends || (versions.size() > 1 && spec.hash == hash)) return spec;
  refuse_other(file.name, changes(spec_of(newest), spec),
               fmt::format("--amend goes on with the changed spec; else {}", other));
}

Blame blame_for(const spec::StudySpec& spec) { return Blame(spec::quarantine_of(spec.json)); }

/// Makes a study. Its store comes last, after the lessons, because reading them may fail.
Opened make_study(const spec::StudySpec& spec, const std::filesystem::path& folder) {
  Opened opened{.study = new_study(spec), .lessons = learn(spec, folder), .spec = spec, .blame = blame_for(spec)};
  opened.store = storage::Store::create(folder, row_of(spec), spec.space);
  return opened;
}

/// Applies rows of the log, and gives amendments their meaning.
class Replay {
 public:
  Replay(const Versions& versions, Opened& opened, Clock::time_point now)
      : versions_(versions), opened_(opened), memory_(*opened.store, opened.blame, opened.crowded, now) {}

  void operator()(const storage::LogRow& row) {
    ++opened_.rows;
    if (const auto* event = std::get_if<study::Event>(&row)) absorb(*event);
    if (const auto* decision = std::get_if<study::Decision>(&row)) apply(*decision);
  }

 private:
  void absorb(const study::Event& event) {
    const auto* ended = std::get_if<study::PieceEnded>(&event);
    if (ended) note(ended->result);
    memory_.replay(event);
    opened_.study->absorb(with_meaning(versions_, event));
  }
  void apply(const study::Decision& d) {
    const bool begins = d.kind == study::DecisionKind::start || d.kind == study::DecisionKind::go_on;
    if (begins) begun_[d.key.member] = {d.key, 1, d.from_step, d.to_step, ""};
    opened_.study->apply(d);
  }
  void note(const trial::PieceResult& result) {
    const auto begun = begun_.extract(result.key.member);
    if (begun.empty() || begun.mapped().key != result.key || !Stragglers::is_whole(result)) return;
    opened_.finished.push_back({begun.mapped(), result.seconds});
    if (opened_.finished.size() > Stragglers::kMost) opened_.finished.pop_front();
  }

  const Versions& versions_;
  Opened& opened_;
  Memory memory_;
  std::map<trial::Member, study::StartPiece> begun_;
};

}  // namespace

Opened open_study(const spec::StudySpec& file, const std::filesystem::path& folder, const Options& options,
                  const Clock& clock) {
  const Versions versions = storage::Store::versions(folder, file.name);
  if (versions.empty() && options.amend) {
    throw Error(ErrorKind::usage, "there is no study '" + file.name + "' to amend in '" + folder.string() + "'",
                "without --amend it is started");
  }
  if (versions.empty()) return make_study(file, folder);
  storage::require_own_study(folder, file.name);
  const spec::StudySpec newest = spec_of(versions.back());
  Opened opened{.spec = spec_to_run(versions, as_recorded(file, versions.back()), options.amend)};
  spec::require_plugins(opened.spec.json);
  const bool changes = opened.spec.hash != hash_of(versions.back());
  if (changes)
    opened.amending = make_amending(newest, opened.spec, static_cast<int>(versions.size()), options.defaults);
  if (!changes) defaults_of(newest, opened.spec, options.defaults);  // refuses those of no new parameter
  if (!changes) opened.settings = new_settings(versions.back(), opened.spec);
  opened.blame = blame_for(opened.spec);
  opened.study = new_study(versions.size() == 1 && !changes ? opened.spec : spec_of(versions.front()));
  opened.store = storage::Store::open(folder, file.name, newest.space);
  opened.store->replay(Replay(versions, opened, clock.now()));
  opened.seconds = opened.store->attempts().seconds();
  if (opened.rows == 0) opened.lessons = learn(spec_of(versions.front()), folder);
  if (opened.amending) require_asked_inside(*opened.study, opened.spec.space);
  return opened;
}

}  // namespace dlrun::driver
