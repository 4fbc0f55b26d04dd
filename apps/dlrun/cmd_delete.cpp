// SPDX-License-Identifier: Apache-2.0
// dlrun delete STUDY
#include <fmt/format.h>
#include <unistd.h>

#include "arguments.hpp"
#include "output/console.hpp"
#include "output/text_width.hpp"
#include "report/selectors.hpp"
#include "storage/retention.hpp"
#include "util/error.hpp"
#include "util/units.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// One line from the terminal. @throws Error(usage) where nobody can be asked.
bool confirm(const std::string& study) {
  if (!is_terminal(STDIN_FILENO)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' would be deleted with all its results", study),
                "say --yes to mean it");
  }
  write_error(fmt::format("delete study '{}' with all its results? [y/N] ", visible(study)));
  char answer[16] = "";
  const ssize_t got = ::read(STDIN_FILENO, answer, sizeof answer);
  return got > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

int run_delete(const Arguments& arguments, Console& console) {
  const std::string& study = arguments.words()[0];
  if (report::find_study(arguments.store(), study) != study) {  // `last` is no name to delete by
    throw Error(ErrorKind::usage, fmt::format("name the study to delete, not '{}'", study));
  }
  if (!arguments.has("yes") && !confirm(study)) {
    console.note("nothing was deleted");
    return 0;
  }
  storage::remove_study(arguments.store(), study);
  const storage::Collected removed =
      storage::collect_garbage(arguments.store(), storage::collection_grace(arguments.store()));
  std::string text = fmt::format("deleted study '{}'", study);
  if (removed.files > 0) {
    text += fmt::format(", and {} file{} of {} that no other study needs", removed.files, removed.files == 1 ? "" : "s",
                        bytes_text(double(removed.bytes)));
  }
  if (removed.hindrance) text += fmt::format("; its artifacts stay until `dlrun gc`: {}", removed.hindrance->why);
  console.note(text);
  return 0;
}

}  // namespace

Verb delete_verb() {
  return {.name = "delete",
          .summary = "delete a study with all its results",
          .text = "Its database, logs and those artifacts that no other study names. On a terminal it asks first.",
          .arguments = {{.name = "STUDY", .text = "its name", .kind = Kind::study}},
          .options = {{.name = "yes", .text = "do not ask", .letter = 'y'}, store_option()},
          .examples = {{"dlrun delete first --yes", "without asking"}},
          .run = run_delete};
}

}  // namespace dlrun::cli
