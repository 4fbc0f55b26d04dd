// SPDX-License-Identifier: Apache-2.0
#include "training_after.hpp"

#include "document/emit.hpp"
#include "final/after.hpp"
#include "final/final_run.hpp"
#include "output/final_text.hpp"
#include "running.hpp"
#include "storage/paths.hpp"
#include "study_source.hpp"
#include "temporary_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/selector.hpp"

namespace dlrun::cli {

int train_after(const FinalOrder& order, const Arguments& arguments, Console& console) {
  if (!storage::is_valid_name(order.name) || is_selector(order.name))
    throw Error(ErrorKind::usage, "'" + order.name + "' is no name for a study",
                "--name NAME gives it one of 1 to 100 of the characters A-Z a-z 0-9 . _ -, no number, range or "
                "selector (all, last, best)");
  const final::FinalRun run = final::plan_final(arguments.store(), order.study, order.final, order.name);
  for (const std::string& line : final_text(run.plan)) console.note(line);
  const std::string yaml = document::to_yaml(run.study);
  if (arguments.has("output")) {
    write_output(arguments.text("output"), yaml);
    return 0;
  }
  const TemporaryFolder folder("dlrun-final");
  const std::string file = (folder.path() / "final.yaml").string();
  write_file(file, yaml);
  const spec::StudySpec spec = read_planned_study({file, run.is_compared, order.sets}, arguments.store(), console);
  return arguments.has("plan") ? 0 : run_following(spec, arguments, console);
}

int train_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  const Json final = final::section_after(spec);
  if (arguments.has("dry-run") || final.is_null()) return 0;
  return train_after({spec.name, final, final::name_after(spec), {}}, arguments, console);
}

int go_on_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  if (arguments.has("dry-run") || final::section_after(spec).is_null()) return 0;
  const std::optional<spec::StudySpec> begun = final::begun_after(arguments.store(), spec);
  return begun ? run_following(*begun, arguments, console) : train_after_search(spec, arguments, console);
}

}  // namespace dlrun::cli
