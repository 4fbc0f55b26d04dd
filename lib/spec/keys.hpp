// SPDX-License-Identifier: Apache-2.0
// The tables of keys of a study, in the language of lib/options. The validator, schema() and show_defaults() are all
// driven by them.
#pragma once
#include "ablation/plan_json.hpp"
#include "options/key.hpp"

namespace dlrun::spec {

using ablation::ablation_key;
using options::any;
using options::boolean;
using options::choice;
using options::duration;
using options::find;
using options::Form;
using options::integer;
using options::Key;
using options::list;
using options::map_of;
using options::names;
using options::plain;
using options::real;
using options::Table;
using options::table;
using options::text;
using options::Variant;
using options::variant;

/// The whole study, and parts of it that are read on their own.
const Table& study_keys();
const Key& parameter_key();  ///< one parameter of the space, by its `type:`
/// The trial, by its `kind:`.
/// @param has_outputs  the model names its outputs: `loss` and `metrics` are maps by their names
const Key& trial_key(bool has_outputs = false);
const Key& final_key();  ///< keys_warm.cpp
const Key& data_key();   ///< trial.data, by its `op:`

}  // namespace dlrun::spec
