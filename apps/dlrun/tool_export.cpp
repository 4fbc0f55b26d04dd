// SPDX-License-Identifier: Apache-2.0
#include "tool_export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.hpp"
#include "exchange/csv.hpp"
#include "exchange/mlflow.hpp"
#include "exchange/mlflow_run.hpp"
#include "exchange/tensorboard.hpp"
#include "exchange/whole_studies.hpp"
#include "output/console.hpp"
#include "report/readable.hpp"
#include "util/error.hpp"
#include "util/visible.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kMostRemarks = 10;  ///< printed ones at most
constexpr std::size_t kMostText = 200;    ///< bytes of a printed remark

void refuse_others(const std::string& what, const Arguments& arguments) {
  for (const char* option : {"output", "epoch", "zstd", "artifacts"}) {
    if (arguments.has(option))
      throw Error(ErrorKind::usage, fmt::format("'export --{}' writes a folder and takes no --{}", what, option),
                  fmt::format("write `dlrun export --{} DIR [STUDY…]`", what));
  }
}

exchange::Exported export_to(const std::string& what, const exchange::ExportRequest& request) {
  if (what == "tensorboard") return exchange::export_tensorboard(request);
  return what == "mlflow" ? exchange::export_mlflow(request) : exchange::export_csv(request);
}

/// A word that the shell takes as it is.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("/-._").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shortened(const std::string& text) {
  std::string all = visible(text);
  return all.size() <= kMostText ? all : exchange::cut_text(all, kMostText) + "…";
}

void say_remarks(const exchange::Exported& done, Console& console) {
  for (const std::string& study : done.unfinished)
    console.note(fmt::format("study '{}' is not finished: the folder has its results so far", study));
  if (done.skipped > 0) console.note(fmt::format("left out, because they have not started: {} trials", done.skipped));
  for (std::size_t i = 0; i < done.remarks.size() && i < kMostRemarks; ++i) console.warn(shortened(done.remarks[i]));
  if (done.remarks.size() > kMostRemarks)
    console.warn(fmt::format("{} more names or values were changed", done.remarks.size() - kMostRemarks));
}

void say_how_to_open(const std::string& what, const std::string& folder, Console& console) {
  const std::string word = shell_word(folder);
  if (what == "tensorboard") console.note(fmt::format("open it: tensorboard --logdir {}", word));
  if (what != "mlflow") return;
  console.note("MLflow 3 opens it in one of two ways:");
  console.note(fmt::format("  MLFLOW_ALLOW_FILE_STORE=true mlflow server --backend-store-uri {}", word));
  console.note(
      fmt::format("  mlflow migrate-filestore --source {} --target sqlite:///mlflow.db && "
                  "mlflow server --backend-store-uri sqlite:///mlflow.db",
                  word));
}

}  // namespace

std::vector<Option> with_tool_options(std::vector<Option> options) {
  const std::vector<Option> tools = {
      {.name = "tensorboard",
       .value = "DIR",
       .text = "studies as a log folder of TensorBoard: scalars, and the table HPARAMS",
       .kind = Kind::folder},
      {.name = "mlflow",
       .value = "DIR",
       .text = "studies as a file store of MLflow: an experiment each, a run for each trial",
       .kind = Kind::folder},
      {.name = "csv",
       .value = "DIR",
       .text = "studies as CSV files: trials, metrics, attempts and more",
       .kind = Kind::folder},
      {.name = "to", .value = "NAME", .text = "studies in the format of a plugin, an exporter, into the folder -o"},
      {.name = "set",
       .value = "KEY=VALUE",
       .text = "of --to: a setting of the plugin; may be repeated",
       .repeats = true}};
  options.insert(options.end() - 1, tools.begin(), tools.end());
  return options;
}

bool is_tool(const std::string& what) { return what == "tensorboard" || what == "mlflow" || what == "csv"; }

int export_for_tool(const std::string& what, const Arguments& arguments, Console& console) {
  refuse_others(what, arguments);
  const std::string folder = arguments.text(what);
  if (folder.empty()) throw Error(ErrorKind::usage, fmt::format("--{} needs the name of a folder", what));
  report::Readable readable = report::find_readable(arguments.store(), arguments.words());
  const exchange::FolderOptions options{folder, what, arguments.has("force"), arguments.store()};
  const exchange::Exported done = exchange::export_whole(arguments.store(), readable, [&](const auto& studies) {
    return export_to(what, {options, studies});
  });
  console.note(fmt::format("{}: {} {}, {} trials, {} values", folder, readable.studies.size(),
                           readable.studies.size() == 1 ? "study" : "studies", done.trials, done.values));
  say_remarks(done, console);
  say_how_to_open(what, folder, console);
  report::require_none(readable.faults);
  return 0;
}

}  // namespace dlrun::cli
