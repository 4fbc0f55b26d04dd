// SPDX-License-Identifier: Apache-2.0
// dlrun ablate STUDY.yaml [ABLATION.yaml], or --from STUDY: what each part contributes; --suggest, --suggest-with: what
// could be asked.
#include <fmt/format.h>

#include <optional>

#include "proposing.hpp"
#include "running.hpp"
#include "study_source.hpp"
#include "trial_files.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

void require_words(const Arguments& arguments) {
  const bool only_asks = arguments.has("suggest") || arguments.has("suggest-with");
  const std::size_t most = (arguments.has("from") ? 0 : 1) + (only_asks ? 0 : 1);
  if (arguments.words().size() > most)
    throw Error(ErrorKind::usage, fmt::format("'{}' is one file too many here", arguments.words().back()),
                "usage: dlrun ablate STUDY.yaml [ABLATION.yaml], or dlrun ablate --from STUDY [ABLATION.yaml]");
  if (arguments.words().empty() && !arguments.has("from"))
    throw Error(ErrorKind::usage, "'ablate' needs STUDY.yaml, or --from STUDY",
                "usage: dlrun ablate STUDY.yaml [ABLATION.yaml] [options]");
  if (arguments.has("trial") && !arguments.has("from"))
    throw Error(ErrorKind::usage, "--trial is for --from", "leave it out, or name the study with --from");
}

/// The configuration that a search found, ablated as a file says, or of all that can be left out.
spec::StudySpec read_found(const TrialFiles& files, const Arguments& arguments, Console& console) {
  std::string over = arguments.words().empty() ? "" : arguments.words()[0];
  if (over.empty()) {
    over = files.write_ablation(suggested_ablation(files.baseline(), arguments));
    console.note("no file says what is left out: all that `dlrun ablate --suggest` lists, one at a time");
  }
  console.note(fmt::format("the baseline is trial {}", files.name()));
  const std::string name = fmt::format("trial {} of '{}'", files.trial().number, files.trial().study);
  return read_ablation({name, over, files.start(), {"ablation.from=" + files.name()}, read_file(files.baseline())},
                       arguments, console);
}

int run_ablate(const Arguments& arguments, Console& console) {
  require_words(arguments);
  require_proposing_options(arguments);
  for (const char* option : {"suggest", "suggest-with"}) require_no_running(arguments, option);
  std::optional<TrialFiles> found;
  if (arguments.has("from")) found.emplace(arguments);
  if (arguments.has("suggest-with"))
    return propose(found ? found->baseline() : arguments.words()[0], arguments, console);
  if (arguments.has("suggest")) {
    console.data(suggested_ablation(found ? found->baseline() : arguments.words()[0], arguments));
    return 0;
  }
  const spec::StudySpec spec = found ? read_found(*found, arguments, console) : read_ablation(arguments, console);
  return run_study(spec, arguments, console);
}

std::vector<Option> ablate_options() {
  std::vector<Option> all = running_options();
  for (Option& option : study_options()) all.push_back(std::move(option));
  all.push_back({.name = "from", .value = "STUDY", .text = "ablate the best configuration that this search found"});
  all.push_back({.name = "trial", .value = "N", .text = "with --from: that of this trial"});
  all.push_back({.name = "suggest", .text = "print what could be left out, each with its reason, as an ABLATION.yaml"});
  for (Option& option : proposing_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace

Verb ablate_verb() {
  return {.name = "ablate",
          .summary = "train a model without its parts, to see what each contributes",
          .text =
              "Trains the baseline and every variant that `ablation:` names, each with the same seeds, replicate by "
              "replicate. The section stands in the study's file, or in a second one that is laid over it; the study "
              "is then called NAME-ablation unless that file says `study:`. With --from the baseline is a trial of a "
              "search, and the one file, if any, is ABLATION.yaml. `dlrun check` with the same files shows every "
              "variant before anything trains.\n"
              "--suggest-with starts a program (its words are split at blanks, quotes hold them together, there is no "
              "shell) in an empty folder of its own, so that files among its arguments need full names, with PATH, "
              "HOME, LANG, TZ and what --env names. It reads the model's structure as JSON and answers with "
              "components as YAML; those that can be built are printed, and nothing is run.",
          .arguments =
              {{.name = "STUDY.yaml", .text = "the study whose parts are left out", .kind = Kind::file, .least = 0},
               {.name = "ABLATION.yaml", .text = "its `ablation:`", .kind = Kind::file, .least = 0}},
          .options = ablate_options(),
          .examples = {{"dlrun ablate study.yaml ablation.yaml", "on all cores"},
                       {"dlrun check study.yaml ablation.yaml", "the variants, and what they cost"},
                       {"dlrun ablate --suggest study.yaml > ablation.yaml", "what could be asked"},
                       {"dlrun ablate --suggest-with './ask.py --max 8' study.yaml -o ablation.yaml", "what it asks"},
                       {"dlrun ablate --from digits", "what the best configuration owes to its parts"}},
          .run = run_ablate};
}

}  // namespace dlrun::cli
