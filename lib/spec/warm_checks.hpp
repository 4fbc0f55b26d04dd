// SPDX-License-Identifier: Apache-2.0
// Checks that `trial.warm_start` and `final.warm_start` share.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "spec/trial_section.hpp"
#include "warmstart/transfer_rules.hpp"

namespace dlrun::spec {

/// @param at      place of the section
/// @param others  policies that go by the same section
void refuse_unused(const Json& start, const std::string& at, Faults& faults, const Json& others = Json::array());

/// Whether the key is written with another value than it has anyway.
bool is_meant(const Json& start, const std::string& at, const std::string& key, const Faults& faults);

/// `final.warm_start.race`: few arms of which fresh weights are one, shorter than the training; gone where the policy
/// is another.
/// @param study  the normal form so far; of `final:` alone the trial's kind is all that is known of it
void check_warm_race(Json& study, Faults& faults);

/// Reports settings of weights that a program loads by itself.
void refuse_for_program(const Json& start, const std::string& at, Faults& faults);

std::set<std::string> names_of(const std::vector<tensors::Wanted>& model);

/// `include` and `exclude` compile, and each pattern names a tensor. @return whether they do
bool check_patterns(const Json& start, const std::string& at, const std::set<std::string>& names, Faults& faults);

/// A policy that compares weights before training needs a validation split and an objective on it.
/// @param metric  of the first objective; empty if it is not known
void check_measured(const warmstart::WarmStart& start, const std::string& at, const dataset::Schema& schema,
                    const std::string& metric, Faults& faults);

}  // namespace dlrun::spec
