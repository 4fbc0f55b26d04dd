// SPDX-License-Identifier: Apache-2.0
// Amendments of a study's spec, and what they mean for its trials.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// A version of the spec that is not in the store yet.
struct Amending {
  study::Amended event;
  storage::StudyRow row;
};

/// Row of the store for a spec.
storage::StudyRow row_of(const spec::StudySpec& spec);
/// Hash of a stored spec under the study's present name: a study that was taken in under another name keeps its first
/// hash.
std::string hash_of(const storage::StudyRow& row);

/// Differences between two specs, a line each: domains of parameters first, then places of everything else.
std::vector<std::string> changes(const spec::StudySpec& before, const spec::StudySpec& now);

/// Refuses an amendment. @throws Error(usage) naming everything that cannot change.
[[noreturn]] void refuse_amendment(const std::string& name, const std::vector<std::string>& refusals);

/// Values that earlier trials had of the new parameters, as JSON by name: the value at the parameter's place in the old
/// spec, or the one in `given`. @throws Error(usage) if neither has a value, or both have one.
std::map<std::string, std::string> defaults_of(const spec::StudySpec& before, const spec::StudySpec& now,
                                               const std::map<std::string, std::string>& given);

/// Change from one version to the next, as the study takes it. @param defaults  as in the event
study::Amendment amendment(const spec::StudySpec& before, const spec::StudySpec& now,
                           const std::map<std::string, std::string>& defaults);

/// Makes the version that follows `before`. @param version  its number; 0 is the version that the study began with
/// @throws Error(usage) as defaults_of()
Amending make_amending(const spec::StudySpec& before, const spec::StudySpec& now, int version,
                       const std::map<std::string, std::string>& given);

/// Records it in the open transaction: an event, like a person's command, with the rows that say what the study is from
/// now on. @return the study's output, to be carried out
study::Output record(const Amending& amending, const space::Space& space, study::Study& study, storage::Store& store);

/// Checks that every point that people asked for lies in the amended space. @throws Error(usage) if one does not.
void require_asked_inside(const study::Study& study, const space::Space& space);

/// "version 1 of the spec" and its changes, a line each, and how many trials are outside of its space.
std::vector<std::string> describe(const Amending& amending, const study::Study& study);

}  // namespace dlrun::driver
