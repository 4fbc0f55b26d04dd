// SPDX-License-Identifier: Apache-2.0
// dlrun predict TRIAL --data FILE -o FILE: what a trained trial says of new examples.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "dataset/content.hpp"
#include "new_file.hpp"
#include "output/console.hpp"
#include "trained.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

const std::vector<std::string> kFormats{"csv", "jsonl", "npy", "safetensors"};

/// --output-format, else what the file's name ends with; a name without an ending is of CSV.
std::string format_of(const Arguments& arguments, const std::string& file) {
  if (arguments.has("output-format")) return arguments.text("output-format");
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending.empty() || is_special(file)) return "csv";
  if (std::find(kFormats.begin(), kFormats.end(), ending.substr(1)) != kFormats.end()) return ending.substr(1);
  throw Error(ErrorKind::usage, fmt::format("-o '{}' does not end in the name of a format", file),
              fmt::format("{} are written; or --output-format", fmt::join(kFormats, ", ")));
}

/// The header of arrays is written last: how many rows they have is known then.
void require_file(const std::string& format, const std::string& file) {
  const bool has_arrays = format == "npy" || format == "safetensors";
  if (!has_arrays || (file != "-" && !is_special(file))) return;
  throw Error(ErrorKind::usage, fmt::format("{} needs a file: its header says how many rows there are", format),
              "-o FILE; csv and jsonl go to standard output");
}

/// Is the file this one, or below this folder?
bool lies_in(const std::filesystem::path& place, const std::filesystem::path& file) {
  std::error_code none;
  const auto whole = std::filesystem::weakly_canonical(file, none);
  const auto rest = whole.lexically_relative(std::filesystem::weakly_canonical(place, none));
  return !rest.empty() && *rest.begin() != "..";
}

/// Predictions replace neither the examples that they are for nor those of the training.
void require_not_read(const std::string& file, const Trained& trained, const Json& examples) {
  if (!std::filesystem::exists(file) || is_special(file)) return;
  std::vector<std::filesystem::path> read = dataset::files_of(trained.config.at("data"), {});
  for (const Json& one : examples) read.emplace_back(one.get<std::string>());
  for (const std::filesystem::path& place : read) {
    if (lies_in(place, file))
      throw Error(ErrorKind::usage, fmt::format("'{}' has examples, and predictions would replace them", file),
                  "name another file with -o");
  }
}

void note(const std::string& file, const Trained& trained, std::int64_t rows, Console& console) {
  console.note(fmt::format("{}: {} predictions of {}", file, rows, trained.name()));
}

int run_predict(const Arguments& arguments, Console& console) {
  const char* const usage = "dlrun predict TRIAL --data FILE -o FILE; `-o -` writes to standard output";
  if (!arguments.has("data")) throw Error(ErrorKind::usage, "'predict' needs --data", usage);
  if (!arguments.has("output")) throw Error(ErrorKind::usage, "'predict' needs -o FILE", usage);
  const std::string file = arguments.text("output"), format = format_of(arguments, file);
  require_file(format, file);
  if (arguments.has("id") && (format == "npy" || format == "safetensors"))
    throw Error(ErrorKind::usage, fmt::format("--id has no effect: {} holds numbers alone", format), "csv or jsonl");
  const Trained trained = find_trained(arguments);
  trial::UseOptions predict_options{
      .files = new_files(arguments, trained), .id = arguments.text("id"), .predicts = true};
  predict_options.output_format = format;
  predict_options.wants_logits = arguments.text("outputs") == "logits";
  if (arguments.text("unseen") == "zero") predict_options.unseen = "zero";
  if (file == "-") {
    use(arguments, trained, predict_options, STDOUT_FILENO);
    return 0;
  }
  require_not_read(file, trained, predict_options.files);
  NewFile output(file);
  const trial::Use made = use(arguments, trained, predict_options, output.fd());
  output.keep();
  note(file, trained, made.examples, console);
  return 0;
}

std::vector<Option> predict_options() {
  std::vector<Option> all = trained_options();
  all.push_back({.name = "id", .value = "COLUMN", .text = "a column of the new table to begin each row with"});
  all.push_back(output_option("where the rows go; - is standard output"));
  all.push_back({.name = "output-format",
                 .value = "FORMAT",
                 .text = "default: as the file's name ends, else csv",
                 .choices = kFormats});
  all.push_back({.name = "outputs",
                 .value = "WHICH",
                 .text = "of classes: probabilities (default), or logits, the model's outputs as they are",
                 .choices = {"probabilities", "logits"}});
  return all;
}

}  // namespace

Verb predict_verb() {
  return {.name = "predict",
          .summary = "let a trained trial predict new examples",
          .text =
              "A row for each new example, in their order, written as they are read: its number from 0 (or --id), then "
              "the class and the "
              "probability of each class, or the value in the unit of the training file; several outputs have columns "
              "of their own. Where an output is NaN no class is written. Columns that the model does not need, the "
              "target among them, may be there or not. New "
              "examples are prepared by what was measured on the training split, whose data has to be where it was.",
          .arguments = {trained_argument()},
          .options = predict_options(),
          .examples = {{"dlrun predict titanic --data new.csv -o out.csv --id PassengerId", "by the best trial"},
                       {"dlrun predict cats/3 --data photos/ -o - | head", "images in a folder"},
                       {"dlrun predict digits --data new.npy -o out.npy --outputs logits", "arrays in, an array out"}},
          .run = run_predict};
}

}  // namespace dlrun::cli
