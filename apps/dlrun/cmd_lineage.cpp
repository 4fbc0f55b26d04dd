// SPDX-License-Identifier: Apache-2.0
// dlrun lineage TRIAL|ARTIFACT: what it came from, and what came of it.
#include <fmt/format.h>

#include "arguments.hpp"
#include "output/console.hpp"
#include "output/text_width.hpp"
#include "plot/graphviz.hpp"
#include "report/lineage.hpp"
#include "report/selectors.hpp"
#include "util/json.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kLeastDigits = 8;

/// No trial has a number that long.
bool is_hash(const std::string& word) {
  return word.size() >= kLeastDigits && word.size() <= 64 &&
         word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::optional<int> index(const Arguments& arguments, const char* option) {
  if (!arguments.has(option)) return std::nullopt;
  return int(arguments.number(option, 0, 0));
}

report::Lineage asked(const Arguments& arguments) {
  const std::string& word = arguments.words()[0];
  const report::LineageOptions options{.depth = int(arguments.number("depth", 3, 0)),
                                       .replicate = index(arguments, "replicate"),
                                       .fold = index(arguments, "fold")};
  if (is_hash(word)) return report::lineage_of_artifact(arguments.store(), word, options);
  const report::OneTrial trial = report::find_trial(arguments.store(), word);
  return report::lineage_of(arguments.store(), {trial.study, trial.number}, options);
}

std::string form_of(const report::Lineage& lineage, const std::string& format) {
  if (format == "json") return report::lineage_json(lineage).dump(2) + "\n";
  if (format == "dot") return report::lineage_dot(lineage);
  if (format == "svg") return plot::graph_drawn(report::lineage_dot(lineage));
  return visible(report::lineage_text(lineage), true);
}

int run_lineage(const Arguments& arguments, Console& console) {
  const std::string text = form_of(asked(arguments), arguments.text("format", "text"));
  const std::string file = arguments.text("output", "-");
  if (!write_or_print(file, text, console)) console.note(fmt::format("{}: {} bytes", file, text.size()));
  return 0;
}

}  // namespace

Verb lineage_verb() {
  return {
      .name = "lineage",
      .summary = "print what a trial or an artifact came from, and what came of it",
      .text =
          "Follows the rows of lineage over all studies of the store, in both directions: pieces that went on from a "
          "checkpoint, attempts that resumed or were tried again, weights that were inherited, results that were "
          "cited, what was ablated from what. An artifact is named by 8 or more digits of its SHA-256.\n"
          "svg is drawn by Graphviz's dot; json has nodes and edges (docs/store.md).",
      .arguments = {{.name = "TRIAL|ARTIFACT",
                     .text = "a number, STUDY/17, last or best; or digits of a SHA-256",
                     .kind = Kind::trial}},
      .options = {{.name = "depth", .value = "N", .text = "steps from trial to trial, each way (default: 3)"},
                  {.name = "replicate", .value = "N", .text = "of this replicate only"},
                  {.name = "fold", .value = "N", .text = "of this fold only"},
                  {.name = "format",
                   .value = "FORMAT",
                   .text = "text (default), json, svg or dot",
                   .choices = {"text", "json", "svg", "dot"}},
                  output_option("write there instead of to standard output"),
                  store_option()},
      .examples = {{"dlrun lineage best", "of the best trial of the study started last"},
                   {"dlrun lineage first/3 --format svg -o lineage.svg", "as a picture"},
                   {"dlrun lineage 5d41402abc4b", "of an artifact"}},
      .run = run_lineage};
}

}  // namespace dlrun::cli
