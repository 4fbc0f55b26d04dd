// SPDX-License-Identifier: Apache-2.0
// dlrun schema: for editors.
#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_schema(const Arguments& arguments, Console& console) {
  console.data(arguments.has("markdown") ? spec::reference() : spec::schema().dump(2) + "\n");
  return 0;
}

}  // namespace

Verb schema_verb() {
  return {
      .name = "schema",
      .summary = "print the JSON Schema of a study file, or a page of all its keys",
      .text =
          "Made from the table that `dlrun check` checks with. Editors with a YAML language server complete and "
          "check a study that begins with the line\n# yaml-language-server: $schema=study.schema.json",
      .options = {{.name = "markdown", .text = "every key with its values, default and meaning, as a page to read"}},
      .examples = {{"dlrun schema > study.schema.json", "for your editor"}},
      .run = run_schema};
}

}  // namespace dlrun::cli
