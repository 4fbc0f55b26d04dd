// SPDX-License-Identifier: Apache-2.0
#include "archive_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "archive/export.hpp"
#include "arguments.hpp"
#include "new_file.hpp"
#include "output/console.hpp"
#include "output/text_width.hpp"
#include "report/selectors.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/units.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

/// Whole or not at all.
archive::Exported to_file(const archive::ExportOptions& options, const fs::path& file) {
  const fs::path draft = file.string() + ".tmp" + std::to_string(::getpid());
  try {
    FileWriter writer(draft, 0644);
    const archive::Exported out = archive::export_study(options, writer.descriptor(), file.string());
    move_file(draft, file);
    return out;
  } catch (...) {
    std::error_code none;
    fs::remove(draft, none);
    throw;
  }
}

archive::Along along_of(const std::string& word) {
  if (word == "best") return archive::Along::best;
  return word == "none" ? archive::Along::none : archive::Along::all;
}

void say(Console& console, const std::string& file, const std::string& study, const archive::Exported& out) {
  console.note(fmt::format("{}: study '{}', {} trials, {} artifacts, {}", file, study, out.trials, out.artifacts,
                           bytes_text(double(out.bytes))));
  if (out.is_running) console.note("the study is running: the file has what there was when the export began");
  if (out.given_up > 0)
    console.note(
        fmt::format("{} artifacts were given up by `keep:` as the export began and are not in it", out.given_up));
}

}  // namespace

int export_archive(const Arguments& arguments, Console& console) {
  const std::string study =
      report::find_study(arguments.store(), arguments.words().empty() ? "" : arguments.words()[0]);
  const std::string file = arguments.text("output");
  archive::ExportOptions options{.store = arguments.store(), .study = study};
  options.artifacts = along_of(arguments.text("artifacts"));
  options.zstd = arguments.has("zstd") || file.ends_with(".zst");
  if (file == "-") {
    if (is_terminal(STDOUT_FILENO))
      throw Error(ErrorKind::usage, "an archive is nothing for a terminal", "write it to a file, or into a pipe");
    if (arguments.has("force")) throw Error(ErrorKind::usage, "--force says nothing of standard output");
    say(console, "standard output", study, archive::export_study(options, STDOUT_FILENO, "standard output"));
    return 0;
  }
  require_target(file, arguments.has("force"));
  say(console, file, study, to_file(options, file));
  return 0;
}

}  // namespace dlrun::cli
