// SPDX-License-Identifier: Apache-2.0
#include "verb.hpp"

#include <utility>

namespace dlrun::cli {

std::vector<Option> all_options(const Verb& verb) {
  std::vector<Option> options = verb.options;
  options.push_back({.name = "quiet", .text = "only what was asked for: no progress, no remarks", .letter = 'q'});
  options.push_back({.name = "color",
                     .value = "WHEN",
                     .text = "auto (default), always or never; NO_COLOR and CLICOLOR_FORCE are honoured",
                     .choices = {"auto", "always", "never"}});
  options.push_back({.name = "help", .text = "this text", .letter = 'h'});
  return options;
}

Option store_option() {
  return {.name = "store",
          .value = "DIR",
          .text = "where studies are kept (default: DLRUN_STORE, else ./dlrun-store)",
          .kind = Kind::folder};
}

Option output_option(std::string text) {
  return {
      .name = "output", .value = "FILE", .text = std::move(text), .kind = Kind::file, .writes = true, .letter = 'o'};
}

Option format_option() {
  return {.name = "format",
          .value = "FORMAT",
          .text = "table (default), json, csv or markdown",
          .choices = {"table", "json", "csv", "markdown"}};
}

std::vector<Option> study_options() {
  return {{.name = "set",
           .value = "KEY=VALUE",
           .text = "override one key of the study, e.g. --set limits.trials=8",
           .repeats = true},
          {.name = "data",
           .value = "DIR",
           .text = "where data files are looked for too (also: DLRUN_DATA)",
           .kind = Kind::folder,
           .repeats = true},
          {.name = "name", .value = "NAME", .text = "another name for the study, as --set study=NAME"}};
}

}  // namespace dlrun::cli
