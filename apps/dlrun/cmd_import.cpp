// SPDX-License-Identifier: Apache-2.0
// dlrun import FILE: takes in what `dlrun export --archive` wrote.
// dlrun import --optuna FILE: takes in a study that Optuna carried out.
#include <fmt/format.h>
#include <unistd.h>

#include "archive/import.hpp"
#include "arguments.hpp"
#include "optuna/import.hpp"
#include "output/console.hpp"
#include "output/text_width.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/selector.hpp"
#include "util/units.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

void check_name(const Arguments& arguments) {
  if (!is_selector(arguments.text("as"))) return;
  throw Error(ErrorKind::usage, fmt::format("'{}' means trials or studies where names are given", arguments.text("as")),
              "take a name that is no number or range, and not all, last or best");
}

int import_from_optuna(const Arguments& arguments, Console& console) {
  const optuna::ImportOptions options{
      .store = arguments.store(), .study = arguments.text("study"), .name = arguments.text("as")};
  const optuna::Imported in = optuna::import_study(arguments.words()[0], options);
  const std::string origin = in.came_as == in.study ? "" : fmt::format(", there '{}'", visible(in.came_as));
  console.note(fmt::format("study '{}'{}: {} trials", in.study, origin, in.trials));
  if (in.open > 0) console.note(fmt::format("cancelled here, because they were not over: {} trials", in.open));
  return 0;
}

archive::Imported import_from(const Arguments& arguments) {
  const std::string& file = arguments.words()[0];
  const archive::ImportOptions options{.store = arguments.store(), .name = arguments.text("as")};
  if (file == "-") return archive::import_study(options, STDIN_FILENO, "standard input");
  const FileReader reader(file);
  return archive::import_study(options, reader.descriptor(), file);
}

/// Command that continues the study.
std::string next(const Arguments& arguments, const archive::Imported& in) {
  const Json spec = storage::Store::find(arguments.store(), in.study).value().spec;
  return spec.value("trial", Json::object()).value("kind", "") == "asked" ? fmt::format("`dlrun ask {}`", in.study)
                                                                          : "`dlrun resume`";
}

int run_import(const Arguments& arguments, Console& console) {
  check_name(arguments);
  if (arguments.has("optuna")) return import_from_optuna(arguments, console);
  if (arguments.has("study"))
    throw Error(ErrorKind::usage, "--study belongs to --optuna",
                "an archive holds one study; --as gives it another name");
  const archive::Imported in = import_from(arguments);
  if (in.is_there) {
    console.note(
        fmt::format("the store has study '{}' already, the same to its last row: nothing was changed", in.study));
    return 0;
  }
  const std::string origin = in.came_as == in.study ? "" : fmt::format(", there '{}'", in.came_as);
  console.note(fmt::format("study '{}'{}: {} trials, {} artifacts, {}", in.study, origin, in.trials, in.artifacts,
                           bytes_text(double(in.bytes))));
  if (in.was_running)
    console.note(fmt::format("it ran when it was exported: {} goes on from there", next(arguments, in)));
  return 0;
}

}  // namespace

Verb import_verb() {
  return {
      .name = "import",
      .summary = "take in a study of another store, or of Optuna",
      .text =
          "Reads what `dlrun export --archive` wrote: all of a study's rows, and its artifacts. Every member is "
          "compared with its SHA-256 and every row with the log before the study is seen; what is damaged is named "
          "and nothing is changed. The study can be resumed, reported and reproduced as where it came from.\n"
          "--optuna reads a study from an SQLite file of Optuna's: it is over then, and is reported and learned from "
          "(`search: {learn_from: [NAME]}`) as your other studies are. All that Optuna stored is kept beside it.",
      .arguments = {{.name = "FILE",
                     .text = "the archive (- is standard input), or Optuna's file",
                     .kind = Kind::file}},
      .options = {{.name = "optuna", .text = "FILE is an SQLite database of Optuna's"},
                  {.name = "study", .value = "NAME", .text = "of --optuna: the study, if FILE has several"},
                  {.name = "as", .value = "NAME", .text = "take it in under this name"},
                  store_option()},
      .examples = {{"dlrun import first.dlrun.tar", "into the store at hand"},
                   {"dlrun import first.dlrun.tar --as theirs", "where the name is taken"},
                   {"dlrun import - < first.dlrun.tar", "from a pipe"},
                   {"dlrun import --optuna study.db --study mnist", "what Optuna has done"}},
      .run = run_import};
}

}  // namespace dlrun::cli
