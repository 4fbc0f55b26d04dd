// SPDX-License-Identifier: Apache-2.0
// dlrun init [FILE]: a study to begin with, commented.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "arguments.hpp"
#include "output/console.hpp"
#include "templates.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

std::string make_text(const Arguments& arguments) {
  const std::string kind = arguments.text("kind", arguments.has("data") ? "train" : "function");
  if (kind != "train" && (arguments.has("data") || arguments.has("target"))) {
    throw Error(ErrorKind::usage, fmt::format("--data and --target belong to --kind train, not {}", kind));
  }
  if (kind == "function") return function_template();
  if (kind == "command") return command_template();
  return train_template(arguments.text("data", "data.csv"), arguments.text("target", "-1"));
}

int run_init(const Arguments& arguments, Console& console) {
  const std::filesystem::path file = arguments.words().empty() ? "study.yaml" : arguments.words()[0];
  if (std::filesystem::exists(file)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is there already", file.string()),
                "name another file: dlrun init other.yaml");
  }
  write_output(file, make_text(arguments));
  console.note(fmt::format("wrote '{0}'; next: dlrun check {0}, then dlrun tune {0}", file.string()));
  return 0;
}

}  // namespace

Verb init_verb() {
  return {
      .name = "init",
      .summary = "write a commented study to begin with",
      .text =
          "Without options the study searches a test function and runs at once, without data. With --data it "
          "trains a network on your table, with --kind command it runs a program of yours. An existing file is "
          "never overwritten.",
      .arguments = {{.name = "FILE", .text = "file to write (default: study.yaml)", .kind = Kind::file, .least = 0}},
      .options = {{.name = "kind",
                   .value = "KIND",
                   .text = "what a trial is: function, train or command",
                   .choices = {"function", "train", "command"}},
                  {.name = "data", .value = "FILE", .text = "a CSV table to train on", .kind = Kind::file},
                  {.name = "target", .value = "COLUMN", .text = "column to predict (default: the last)"}},
      .examples = {{"dlrun init", "a study of a test function in study.yaml"},
                   {"dlrun init train.yaml --data titanic.csv --target survived", "a network on a table"}},
      .run = run_init};
}

}  // namespace dlrun::cli
