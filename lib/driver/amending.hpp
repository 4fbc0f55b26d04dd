// SPDX-License-Identifier: Apache-2.0
// A study whose spec changes: what that means for its trials.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// A version that is not in the store yet.
struct Amending {
  study::Amended event;
  storage::StudyRow row;
};

/// What the store keeps of a spec.
storage::StudyRow row_of(const spec::StudySpec& spec);
/// Of the spec under the name that the study has today: what its file would have.
std::string hash_of(const storage::StudyRow& row);

/// What is different in words: domains of parameters, and places of the rest.
std::vector<std::string> changes(const spec::StudySpec& before, const spec::StudySpec& now);

/// @throws Error(usage) naming all that cannot change.
[[noreturn]] void refuse_amendment(const std::string& name, const std::vector<std::string>& refusals);

/// What trials so far have of parameters that are new, JSON by name: what stands at their place in the file, or what
/// `given` says. @throws Error(usage) where neither says it, or both.
std::map<std::string, std::string> defaults_of(const spec::StudySpec& before, const spec::StudySpec& now,
                                               const std::map<std::string, std::string>& given);

/// One version after another, as the study takes it. @param defaults  as the event has them
study::Amendment amendment(const spec::StudySpec& before, const spec::StudySpec& now,
                           const std::map<std::string, std::string>& defaults);

/// The version after `before`, which is number `version` - 1.
Amending make_amending(const spec::StudySpec& before, const spec::StudySpec& now, int version,
                       const std::map<std::string, std::string>& given);

/// What people asked for must be a point of the amended space. @throws Error(usage).
void require_asked_inside(const study::Study& study, const space::Space& space);

/// "version 1 of the spec" and its changes, a line each, and how many trials are outside of its space.
std::vector<std::string> describe(const Amending& amending, const study::Study& study);

}  // namespace dlrun::driver
