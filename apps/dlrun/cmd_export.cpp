// SPDX-License-Identifier: Apache-2.0
// dlrun export --logical [STUDY]: what must be equal wherever and however often a study ran.
#include <fmt/format.h>

#include <sstream>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "selectors.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run(const Arguments& arguments, Console& console) {
  if (!arguments.has("logical")) {
    throw Error(ErrorKind::usage, "'export' needs --logical", "usage: dlrun export --logical [STUDY] [-o FILE]");
  }
  const std::vector<std::string>& words = arguments.words();
  const std::string study = find_study(arguments.store(), words.empty() ? "" : words[0]);
  std::ostringstream lines;
  report::Reader(arguments.store(), {study}).logical_export(lines);
  const std::string text = lines.str();
  if (!arguments.has("output")) {
    console.data(text);
    return 0;
  }
  write_output(arguments.text("output"), text);
  console.note(fmt::format("{}: {} bytes, sha256 {}", arguments.text("output"), text.size(), Sha256::hex_of(text)));
  return 0;
}

}  // namespace

Verb export_verb() {
  return {.name = "export",
          .summary = "write a study as canonical JSON lines",
          .text =
              "--logical leaves out time, place and attempts: trials, decisions, metrics and hashes of checkpoints "
              "remain, which are equal byte by byte for any number of workers and after any interruption.",
          .arguments =
              {{.name = "STUDY", .text = "its name (default: the one started last)", .kind = Kind::study, .least = 0}},
          .options = {{.name = "logical", .text = "what does not depend on when and where it ran"},
                      {.name = "output",
                       .value = "FILE",
                       .text = "write there instead of to standard output",
                       .kind = Kind::file,
                       .letter = 'o'},
                      store_option()},
          .examples = {{"dlrun export --logical | sha256sum", "the study's fingerprint"},
                       {"dlrun export --logical first -o first.json", "into a file"}},
          .run = run};
}

}  // namespace dlrun::cli
