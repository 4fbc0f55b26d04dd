// SPDX-License-Identifier: Apache-2.0
#include "verbs.hpp"

#include <fmt/format.h>

#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = {
      init_verb(),    check_verb(),  profile_verb(),  place_verb(), schema_verb(),  doctor_verb(),    tune_verb(),
      train_verb(),   ablate_verb(), resume_verb(),   stop_verb(),  cancel_verb(),  retry_verb(),     enqueue_verb(),
      ask_verb(),     tell_verb(),   report_verb(),   sql_verb(),   plot_verb(),    serve_verb(),     top_verb(),
      status_verb(),  show_verb(),   explain_verb(),  diff_verb(),  lineage_verb(), reproduce_verb(), logs_verb(),
      studies_verb(), note_verb(),   tag_verb(),      eval_verb(),  predict_verb(), export_verb(),    import_verb(),
      verify_verb(),  gc_verb(),     delete_verb(),   mcp_verb(),   plugins_verb(), help_verb(),      completion_verb(),
      version_verb(), start_verb(),  complete_verb(),
  };
  return table;
}

const Verb* find_verb(const std::string& name) {
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

const Verb& verb_named(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return *verb;
  std::vector<std::string> known;
  for (const Verb& verb : verbs()) {
    if (!verb.hidden) known.push_back(verb.name);
  }
  const std::string nearest = nearest_name(name, known);
  const std::string see = "`dlrun help` lists all verbs";
  throw Error(ErrorKind::usage, fmt::format("there is no verb '{}'", name),
              nearest.empty() ? see : fmt::format("did you mean '{}'? {}", nearest, see));
}

}  // namespace dlrun::cli
