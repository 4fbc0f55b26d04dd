// SPDX-License-Identifier: Apache-2.0
#include "plugin_export.hpp"

#include <fmt/format.h>

#include "arguments.hpp"
#include "exchange/plugin_export.hpp"
#include "exchange/whole_studies.hpp"
#include "output/console.hpp"
#include "plugin/found.hpp"
#include "plugin_section.hpp"
#include "report/readable.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

void refuse_unfit(const Arguments& arguments) {
  for (const char* option : {"epoch", "zstd", "artifacts"}) {
    if (arguments.has(option))
      throw Error(ErrorKind::usage, fmt::format("'export --to' writes a folder and takes no --{}", option),
                  "write `dlrun export --to NAME -o DIR [STUDY…]`");
  }
}

}  // namespace

int export_for_plugin(const Arguments& arguments, Console& console) {
  refuse_unfit(arguments);
  const plugin::Manifest& manifest = *plugin::named(plugin::Kind::exporter, arguments.text("to")).manifest;
  const Json section = plugin_section(manifest, arguments.list("set"), "--set ");
  const std::string folder = arguments.text("output", manifest.name);
  if (folder.empty()) throw Error(ErrorKind::usage, "-o needs the name of a folder");
  report::Readable readable = report::find_readable(arguments.store(), arguments.words());
  const exchange::FolderOptions options{folder, manifest.name, arguments.has("force"), arguments.store()};
  const exchange::Exported done = exchange::export_whole(arguments.store(), readable, [&](const auto& studies) {
    return exchange::export_by_plugin(manifest.name, section, {options, studies});
  });
  for (const std::string& study : done.unfinished)
    console.note(fmt::format("study '{}' is not finished: the folder has its results so far", study));
  console.note(fmt::format("{}: {} {}, {} trials, {} values", folder, readable.studies.size(),
                           readable.studies.size() == 1 ? "study" : "studies", done.trials, done.values));
  report::require_none(readable.faults);
  return 0;
}

}  // namespace dlrun::cli
