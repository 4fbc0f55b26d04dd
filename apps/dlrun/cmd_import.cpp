// SPDX-License-Identifier: Apache-2.0
// dlrun import FILE: takes in what `dlrun export --archive` wrote.
#include <fmt/format.h>
#include <unistd.h>

#include "archive/import.hpp"
#include "arguments.hpp"
#include "output/console.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/selector.hpp"
#include "util/units.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

archive::Imported import_from(const Arguments& arguments) {
  const std::string& file = arguments.words()[0];
  if (is_selector(arguments.text("as")))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' means trials or studies where names are given", arguments.text("as")),
                "take a name that is no number or range, and not all, last or best");
  const archive::ImportOptions options{.store = arguments.store(), .name = arguments.text("as")};
  if (file == "-") return archive::import_study(options, STDIN_FILENO, "standard input");
  const FileReader reader(file);
  return archive::import_study(options, reader.descriptor(), file);
}

int run_import(const Arguments& arguments, Console& console) {
  const archive::Imported in = import_from(arguments);
  if (in.is_there) {
    console.note(
        fmt::format("the store has study '{}' already, the same to its last row: nothing was changed", in.study));
    return 0;
  }
  const std::string origin = in.came_as == in.study ? "" : fmt::format(", there '{}'", in.came_as);
  console.note(fmt::format("study '{}'{}: {} trials, {} artifacts, {}", in.study, origin, in.trials, in.artifacts,
                           bytes_text(double(in.bytes))));
  if (in.was_running) console.note("it ran when it was exported: `dlrun resume` goes on from there");
  return 0;
}

}  // namespace

Verb import_verb() {
  return {.name = "import",
          .summary = "take in a study that another store exported",
          .text =
              "Reads what `dlrun export --archive` wrote: all of a study's rows, and its artifacts. Every member is "
              "compared with its SHA-256 and every row with the log before the study is seen; what is damaged is named "
              "and nothing is changed. The study can be resumed, reported and reproduced as where it came from.",
          .arguments = {{.name = "FILE", .text = "the archive; - is standard input", .kind = Kind::file}},
          .options = {{.name = "as", .value = "NAME", .text = "take it in under this name"}, store_option()},
          .examples = {{"dlrun import first.dlrun.tar", "into the store at hand"},
                       {"dlrun import first.dlrun.tar --as theirs", "where the name is taken"},
                       {"dlrun import - < first.dlrun.tar", "from a pipe"}},
          .run = run_import};
}

}  // namespace dlrun::cli
