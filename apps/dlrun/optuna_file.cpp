// SPDX-License-Identifier: Apache-2.0
#include "optuna_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arguments.hpp"
#include "new_file.hpp"
#include "optuna/export.hpp"
#include "output/console.hpp"
#include "report/readable.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

int export_optuna(const Arguments& arguments, Console& console) {
  const std::string file = arguments.text("optuna");
  if (file.empty() || is_special(file)) throw Error(ErrorKind::usage, fmt::format("'{}' is no file", file));
  require_target(file, arguments.has("force"));
  const report::Readable readable = report::find_readable(arguments.store(), arguments.words());
  const std::vector<std::string>& studies = readable.studies;
  const optuna::Exported out = optuna::export_studies(arguments.store(), studies, file);
  console.note(fmt::format("{}: {} '{}', {} trials", file, studies.size() == 1 ? "study" : "studies",
                           fmt::join(studies, "', '"), out.trials));
  if (out.open > 0)
    console.note(
        fmt::format("open trials: {}, which stay open in this file, because dlrun ends them in its own", out.open));
  report::require_none(readable.faults);
  return 0;
}

}  // namespace dlrun::cli
