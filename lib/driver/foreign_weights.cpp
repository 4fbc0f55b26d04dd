// SPDX-License-Identifier: Apache-2.0
#include "driver/foreign_weights.hpp"

#include <fmt/format.h>

#include "driver/orders.hpp"
#include "driver/restoring.hpp"
#include "storage/owners.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

/// Calls `look` with every object inside of this value.
template <class Look>
void for_each_object(const Json& value, const Look& look) {
  if (value.is_object()) look(value);
  if (!value.is_structured()) return;
  for (const Json& inner : value) for_each_object(inner, look);
}

/// Sections of the trial as parameters may set them: `warm_start` or `init`.
std::vector<Json> sections_in(const Json& space) {
  std::vector<Json> out;
  for_each_object(space, [&](const Json& one) {
    if (one.contains("donors")) out.push_back({{"warm_start", one}});
    if (one.contains("from") && one.contains("sha256")) out.push_back({{"init", one}});
  });
  return out;
}

std::vector<trial::InputFile> foreign_inputs(const spec::StudySpec& spec, const std::filesystem::path& folder) {
  const trial::WorkSetup setup = spec::work_setup(spec, folder / "artifacts");
  std::vector<trial::InputFile> out = trial::inputs_of(setup, {});
  for (Json& section : sections_in(spec.json.value("space", Json()))) {
    trial::PieceOrder order;
    order.sets = std::move(section);
    for (trial::InputFile& input : trial::inputs_of(setup, order)) out.push_back(std::move(input));
  }
  return out;
}

/// A new trial, or the first piece of one that is decided.
bool may_begin_a_trial(const Opened& opened) {
  const study::Study& study = *opened.study;
  const auto limit = opened.spec.rules.limits.trials;
  if (!limit || study.trial_count() < *limit || opened.amending) return true;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const study::TrialView view = study.trial(trial::TrialId(i));
    if (view.steps == 0 && !trial::is_final(view.state)) return true;
  }
  return false;
}

/// "digits/17", as the spec has it beside the hash; empty: it says nothing.
std::string donor_in(const Json& spec, const std::string& sha256) {
  std::string out;
  for_each_object(spec, [&](const Json& one) {
    const Json hash = one.value("sha256", Json()), study = one.value("study", Json());
    const std::string name = study.is_string() ? study.get<std::string>() : std::string();
    if (hash == sha256 && !name.empty()) out = fmt::format("{}/{}", name, to_text(one.value("trial", Json())));
  });
  return out;
}

Error lost_file(const trial::InputFile& input, const std::string& fault, const spec::StudySpec& spec) {
  return {ErrorKind::store,
          fmt::format("trials of study '{}' begin with the weights in '{}', and that file {}", spec.name,
                      input.path.string(), fault),
          fmt::format("bring back the file whose SHA-256 is {}, then run this command again", input.sha256)};
}

}  // namespace

Error lost_weights(const trial::InputFile& input, const std::string& fault, const spec::StudySpec& spec,
                   const std::filesystem::path& folder) {
  if (!input.is_stored) return lost_file(input, fault, spec);
  const std::string name = short_hash(input.sha256);
  if (const auto owner = storage::owner_of(folder, input.sha256)) {
    return {ErrorKind::store,
            fmt::format("artifact {} {}: it is the checkpoint '{}' of trial {}/{} at epoch {}, which trials of study "
                        "'{}' begin with",
                        name, fault, owner->role, owner->study, owner->trial, owner->step, spec.name),
            restore_hint(owner->study, owner->trial, folder) + "; then run this command again"};
  }
  const std::string donor = donor_in(spec.json, input.sha256);
  const std::string whose = donor.empty() ? "no study of this store made it"
                                          : fmt::format("it is of trial {}, whose study is not in this store", donor);
  const std::string hint = donor.empty()
                               ? fmt::format("bring back '{}' from a copy of the store", input.path.string())
                               : fmt::format(
                                     "`dlrun import FILE{}` of an archive of study '{}' brings it back; then run this "
                                     "command again",
                                     store_option(folder), donor.substr(0, donor.find('/')));
  return {ErrorKind::store,
          fmt::format("artifact {} {}: trials of study '{}' begin with it, and {}", name, fault, spec.name, whose),
          hint};
}

void require_foreign_weights(const Opened& opened, const std::filesystem::path& folder) {
  if (!takes_weights(opened.spec) || !may_begin_a_trial(opened)) return;
  for (const trial::InputFile& input : foreign_inputs(opened.spec, folder)) {
    const std::string fault = trial::fault_of(input);
    if (!fault.empty()) throw lost_weights(input, fault, opened.spec, folder);
  }
}

}  // namespace dlrun::driver
