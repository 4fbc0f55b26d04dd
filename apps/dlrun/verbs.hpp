// SPDX-License-Identifier: Apache-2.0
// The table of verbs: the one visible list. To add a verb, write cmd_<verb>.cpp and add two lines here and in
// verbs.cpp.
#pragma once
#include <string>
#include <vector>

#include "verb.hpp"

namespace dlrun::cli {

/// All verbs, in the order of the help.
const std::vector<Verb>& verbs();
/// nullptr where there is none.
const Verb* find_verb(const std::string& name);
/// @throws Error(usage) with the nearest known verb.
const Verb& verb_named(const std::string& name);

Verb init_verb();
Verb check_verb();
Verb profile_verb();
Verb place_verb();
Verb schema_verb();
Verb doctor_verb();
Verb train_verb();
Verb tune_verb();
Verb ablate_verb();
Verb resume_verb();
Verb stop_verb();
Verb cancel_verb();
Verb retry_verb();
Verb enqueue_verb();
Verb ask_verb();
Verb tell_verb();
Verb report_verb();
Verb sql_verb();
Verb serve_verb();
Verb plot_verb();
Verb top_verb();
Verb status_verb();
Verb show_verb();
Verb explain_verb();
Verb diff_verb();
Verb lineage_verb();
Verb reproduce_verb();
Verb logs_verb();
Verb studies_verb();
Verb note_verb();
Verb tag_verb();
Verb eval_verb();
Verb predict_verb();
Verb export_verb();
Verb import_verb();
Verb verify_verb();
Verb gc_verb();
Verb delete_verb();
Verb mcp_verb();
Verb plugins_verb();
Verb help_verb();
Verb completion_verb();
Verb version_verb();
Verb start_verb();     ///< `__start`, which runs a study for an agent
Verb complete_verb();  ///< `__complete`, what the shells' scripts ask

}  // namespace dlrun::cli
