// SPDX-License-Identifier: Apache-2.0
#include "training_after.hpp"

#include <fmt/format.h>

#include "document/emit.hpp"
#include "final_run.hpp"
#include "running.hpp"
#include "storage/store.hpp"
#include "study_source.hpp"
#include "temporary_folder.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace {

std::string name_of(const std::string& study, const Arguments& arguments) {
  return arguments.text("name", study + "-final");
}

spec::StudySpec read_final_study(const std::string& file, bool is_compared, const Arguments& arguments,
                                 Console& console) {
  if (is_compared) return read_ablation({file, "", "", {}}, arguments, console);
  return read_study(file, arguments, console);
}

}  // namespace

int train_after(const std::string& study, const Json& final, const Arguments& arguments, Console& console) {
  const FinalRun run = plan_final(arguments.store(), study, final, name_of(study, arguments));
  for (const std::string& line : run.plan) console.note(line);
  const std::string yaml = document::to_yaml(run.study);
  if (arguments.has("output")) {
    write_output(arguments.text("output"), yaml);
    return 0;
  }
  const TemporaryFolder folder("dlrun-final");
  const std::string file = (folder.path() / "final.yaml").string();
  write_file(file, yaml);
  const spec::StudySpec spec = read_final_study(file, run.is_compared, arguments, console);
  return arguments.has("plan") ? 0 : run_study(spec, arguments, console);
}

int train_after_search(const std::string& study, const Arguments& arguments, Console& console) {
  const auto row = storage::Store::find(arguments.store(), study);
  const Json final = row ? row->spec.value("final", Json()) : Json();
  const bool is_wanted = final.is_object() && !final.value("of", Json()).is_string();
  return is_wanted ? train_after(study, final, arguments, console) : 0;
}

}  // namespace dlrun::cli
