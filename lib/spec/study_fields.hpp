// SPDX-License-Identifier: Apache-2.0
// Sections of a study that are read into structs: each key with its member.
#pragma once
#include "options/field.hpp"
#include "spec/quarantine.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

const options::Fields<StudySpec>& limit_fields();
const options::Fields<StudySpec>& resource_fields();  ///< but for log_mb, memory_mb and speculate
const options::Fields<Speculation>& speculation_fields();
const options::Fields<Slurm>& slurm_fields();
const options::Fields<PluginJobs>& plugin_job_fields();   ///< beside the keys of the plugin
const options::Fields<RetryDelay>& retry_delay_fields();  ///< in `retry`
const options::Fields<Quarantine>& quarantine_fields();
const options::Fields<Keep>& keep_fields();
const options::Fields<Winner>& winner_fields();

}  // namespace dlrun::spec
