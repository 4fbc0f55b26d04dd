// SPDX-License-Identifier: Apache-2.0
// dlrun init [FILE]: a study to begin with, commented.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <vector>

#include "arguments.hpp"
#include "dataset/dataset.hpp"
#include "output/console.hpp"
#include "study_source.hpp"
#include "templates.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// A name of a column, or its number: -1 is the last.
Json column(const std::string& word) {
  int number = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  return fault == std::errc() && end == word.data() + word.size() ? Json(number) : Json(word);
}

/// Reads the table, so that a file or column that is not there is told now. @return whether the target has classes
bool has_classes(const std::string& table, const std::string& target) {
  std::vector<std::filesystem::path> folders = usual_data_folders();
  folders.insert(folders.begin(), ".");
  try {
    return dataset::inspect({{"op", "csv"}, {"path", table}, {"target", column(target)}}, {folders}, 0).classes > 0;
  } catch (const dataset::DataError& fault) {
    const bool is_missing = !std::filesystem::exists(table);
    throw Error(fault.kind(), fmt::format("--{}: {}", fault.path() == "target" ? "target" : "data", fault.brief()),
                is_missing ? "name a CSV table that is there, or its folder in DLRUN_DATA" : fault.hint());
  }
}

/// The path of a data file for a study in that file; one that is found elsewhere (DLRUN_DATA) stays as it is.
std::string seen_from(const std::filesystem::path& study, const std::filesystem::path& data) {
  if (data.is_absolute() || !std::filesystem::exists(data)) return data.string();
  return std::filesystem::proximate(data, std::filesystem::absolute(study).parent_path()).string();
}

std::string make_text(const Arguments& arguments, const std::filesystem::path& file) {
  const std::string kind = arguments.text("kind", arguments.has("data") ? "train" : "function");
  if (kind != "train" && (arguments.has("data") || arguments.has("target"))) {
    throw Error(ErrorKind::usage, fmt::format("--data and --target belong to --kind train, not {}", kind));
  }
  if (kind == "function") return function_template();
  if (kind == "command") return command_template();
  if (kind == "python") return python_template();
  const std::string data = arguments.text("data", "data.csv"), target = arguments.text("target", "-1");
  const bool is_named = arguments.has("data");
  return train_template({.data = is_named ? seen_from(file, data) : data,
                         .target = target,
                         .has_classes = !is_named || has_classes(data, target)});
}

int run_init(const Arguments& arguments, Console& console) {
  const std::filesystem::path file = arguments.words().empty() ? "study.yaml" : arguments.words()[0];
  if (std::filesystem::exists(file)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is there already", file.string()),
                "name another file: dlrun init other.yaml");
  }
  write_output(file, make_text(arguments, file));
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
          "trains a network on your table, with --kind command it runs a program of yours, with --kind python it calls "
          "a function of yours. An existing file is "
          "never overwritten.",
      .arguments = {{.name = "FILE", .text = "file to write (default: study.yaml)", .kind = Kind::file, .least = 0}},
      .options = {{.name = "kind",
                   .value = "KIND",
                   .text = "what a trial is: function, train, command or python",
                   .choices = {"function", "train", "command", "python"}},
                  {.name = "data", .value = "FILE", .text = "a CSV table to train on", .kind = Kind::file},
                  {.name = "target", .value = "COLUMN", .text = "column to predict (default: the last)"}},
      .examples = {{"dlrun init", "a study of a test function in study.yaml"},
                   {"dlrun init train.yaml --data titanic.csv --target survived", "a network on a table"}},
      .run = run_init};
}

}  // namespace dlrun::cli
