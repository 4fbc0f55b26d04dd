// SPDX-License-Identifier: Apache-2.0
#include "training_after.hpp"

#include "document/emit.hpp"
#include "final/final_run.hpp"
#include "output/final_text.hpp"
#include "plan/ablation_plan.hpp"
#include "running.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "temporary_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/selector.hpp"

namespace dlrun::cli {

namespace {

/// The plan's own text, so that nothing of the search's command line gets into it.
spec::StudySpec read_final_study(const std::string& file, bool is_compared, const std::vector<std::string>& sets,
                                 const std::filesystem::path& store, Console& console) {
  spec::Source source{.file = file, .sets = sets};
  source.checkpoint = [&](const std::string& sha256) { return storage::checkpoint_file(store, sha256); };
  if (is_compared) source.ablation = spec::Ablation::required;
  std::vector<spec::Warning> warnings;
  spec::StudySpec spec = spec::read(source, &warnings);
  for (const spec::Warning& warning : warnings) console.note(warning.text);
  return spec;
}

}  // namespace

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
  const spec::StudySpec spec = read_final_study(file, run.is_compared, order.sets, arguments.store(), console);
  return arguments.has("plan") ? 0 : run_study(spec, arguments, console);
}

namespace {

/// `final:` of a study that ran to its end and is followed by a training; else null.
Json wanted(const spec::StudySpec& spec, const Arguments& arguments) {
  const Json final = spec.json.value("final", Json());
  const bool is_final_itself = final.is_object() && final.value("of", Json()).is_string();
  return arguments.has("dry-run") || is_final_itself || plan::is_ablation(spec) ? Json() : final;
}

std::string name_after(const spec::StudySpec& spec) { return spec.name + "-final"; }

}  // namespace

int train_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  const Json final = wanted(spec, arguments);
  return final.is_object() ? train_after({spec.name, final, name_after(spec), {}}, arguments, console) : 0;
}

int go_on_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  if (!wanted(spec, arguments).is_object()) return 0;
  const auto begun = storage::Store::find(arguments.store(), name_after(spec));
  const std::string of = begun ? begun->spec.value("final", Json::object()).value("of", std::string()) : "";
  if (!of.starts_with(spec.name + "/")) return train_after_search(spec, arguments, console);
  return run_study(spec::from_json(begun->spec, begun->spec_text), arguments, console);
}

}  // namespace dlrun::cli
