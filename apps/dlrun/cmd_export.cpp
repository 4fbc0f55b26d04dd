// SPDX-License-Identifier: Apache-2.0
// dlrun export --logical [STUDY]: what must be equal wherever and however often a study ran.
// dlrun export --archive [STUDY] -o FILE: a study with its artifacts, for another store.
// dlrun export --optuna FILE [STUDY...]: studies as a database that Optuna can go on with.
// dlrun export --weights TRIAL -o FILE: a trial's weights, for PyTorch and everything else that reads safetensors.
// dlrun export --safetensors TRIAL -o FILE: the same, with what is needed to use them without dlrun.
// dlrun export --checkpoint TRIAL -o FILE: the file that a trial or its program left, as it is.
// dlrun export --examples TRIAL: results of a trial's single validation examples, as CSV.
// dlrun export --tensorboard | --mlflow | --csv DIR [STUDY…]: tool_export.hpp.
// dlrun export --to NAME [-o DIR] [STUDY…]: plugin_export.hpp.
#include <fmt/format.h>

#include <sstream>

#include "archive_file.hpp"
#include "arguments.hpp"
#include "final/examples.hpp"
#include "model_file.hpp"
#include "new_file.hpp"
#include "optuna_file.hpp"
#include "output/console.hpp"
#include "plugin_export.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "tool_export.hpp"
#include "trained.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr const char* kUsage =
    "usage: dlrun export --logical [STUDY] [-o FILE], or --archive [STUDY] -o FILE, or --optuna FILE [STUDY...], or "
    "--weights TRIAL -o FILE, or --safetensors TRIAL -o FILE, or --checkpoint TRIAL -o FILE, or --examples TRIAL "
    "[-o FILE], or --tensorboard | --mlflow | --csv DIR [STUDY...], or --to NAME [-o DIR] [STUDY...]";

/// Kinds of export: exactly one of these options is given.
constexpr const char* kWhat[] = {"logical",  "archive",     "optuna", "weights", "safetensors", "checkpoint",
                                 "examples", "tensorboard", "mlflow", "csv",     "to"};

std::string what_of(const Arguments& arguments) {
  std::string found;
  for (const char* what : kWhat) {
    if (!arguments.has(what)) continue;
    if (!found.empty())
      throw Error(ErrorKind::usage, fmt::format("--{} and --{} exclude each other", found, what), kUsage);
    found = what;
  }
  if (found.empty())
    throw Error(ErrorKind::usage,
                "'export' needs --logical, --archive, --optuna, --weights, --safetensors, --checkpoint, --examples, "
                "--tensorboard, --mlflow, --csv or --to",
                kUsage);
  return found;
}

void check_export(const Arguments& arguments, const std::string& what) {
  const bool is_study = what == "logical" || what == "archive" || what == "optuna", is_trial = !is_study;
  if (what != "logical" && what != "examples" && what != "optuna" && !arguments.has("output"))
    throw Error(ErrorKind::usage, fmt::format("'export --{}' needs -o FILE", what), kUsage);
  if (is_trial && !arguments.words().empty())
    throw Error(ErrorKind::usage, fmt::format("'export --{}' takes no study", what), "write the trial as STUDY/17");
  if (what != "optuna" && arguments.words().size() > 1)
    throw Error(ErrorKind::usage, fmt::format("'export --{}' takes one study", what), kUsage);
  if (what == "optuna" && arguments.has("output"))
    throw Error(ErrorKind::usage, "--optuna has its FILE behind it", "leave -o out");
  if ((!is_trial || what == "examples") && arguments.has("epoch"))
    throw Error(ErrorKind::usage, "--epoch belongs to --weights, --safetensors and --checkpoint", kUsage);
  if ((what == "logical" || what == "weights" || what == "examples") && arguments.has("force"))
    throw Error(ErrorKind::usage,
                "--force belongs to --archive, --optuna, --safetensors, --checkpoint, --tensorboard, --mlflow, --csv "
                "and --to",
                kUsage);
  for (const char* option : {"zstd", "artifacts"}) {
    if (what != "archive" && arguments.has(option))
      throw Error(ErrorKind::usage, fmt::format("--{} belongs to --archive", option), kUsage);
  }
}

int export_weights(const Arguments& arguments, Console& console) {
  const std::string file = arguments.text("output");
  if (file == "-" && console.is_out_terminal())
    throw Error(ErrorKind::usage, "weights are nothing for a terminal", "write them to a file, or into a pipe");
  const report::OneTrial trial = report::find_winner(arguments.store(), arguments.text("weights"));
  const final::Weights weights = final::weights_of(arguments.store(), trial, arguments.text("epoch"));
  const bool is_out = write_or_print(file, weights.bytes, console);
  console.note(fmt::format("{}: {} tensors of trial {}/{}, {} epoch ({}), {} bytes", is_out ? "standard output" : file,
                           weights.tensors, trial.study, trial.number, weights.from.role, weights.from.step,
                           weights.bytes.size()));
  return 0;
}

int export_checkpoint(const Arguments& arguments, Console& console) {
  const report::OneTrial trial = report::find_winner(arguments.store(), arguments.text("checkpoint"));
  const std::string file = arguments.text("output");
  if (file == "-")
    throw Error(ErrorKind::usage, "a checkpoint is copied to a file, not to standard output",
                "name a FILE; `dlrun export --weights TRIAL -o -` prints its tensors");
  require_target(file, arguments.has("force"));
  const final::Checkpoint from = final::copy_checkpoint(arguments.store(), trial, arguments.text("epoch"), file);
  console.note(fmt::format("{}: checkpoint of trial {}/{}, {} epoch ({}), sha256 {}", file, trial.study, trial.number,
                           from.role, from.step, from.sha256));
  return 0;
}

void write_text(const Arguments& arguments, Console& console, const std::string& text) {
  const std::string file = arguments.text("output", "-");
  if (write_or_print(file, text, console)) return;
  console.note(fmt::format("{}: {} bytes, sha256 {}", file, text.size(), Sha256::hex_of(text)));
}

int run_export(const Arguments& arguments, Console& console) {
  const std::string what = what_of(arguments);
  if (what != "to" && arguments.has("set"))
    throw Error(ErrorKind::usage, "--set belongs to --to", "write `dlrun export --to NAME --set KEY=VALUE`");
  if (what == "to") return export_for_plugin(arguments, console);
  if (is_tool(what)) return export_for_tool(what, arguments, console);
  check_export(arguments, what);
  if (what == "weights") return export_weights(arguments, console);
  if (what == "safetensors") return export_model(arguments, console);
  if (what == "checkpoint") return export_checkpoint(arguments, console);
  if (what == "archive") return export_archive(arguments, console);
  if (what == "optuna") return export_optuna(arguments, console);
  if (what == "examples") {
    const report::OneTrial trial = report::find_winner(arguments.store(), arguments.text("examples"));
    write_text(arguments, console, final::examples_of(arguments.store(), trial).csv);
    return 0;
  }
  const std::vector<std::string>& words = arguments.words();
  const std::string study = report::find_study(arguments.store(), words.empty() ? "" : words[0]);
  std::ostringstream lines;
  report::export_logically(arguments.store(), {study}, lines);
  write_text(arguments, console, lines.str());
  return 0;
}

}  // namespace

Verb export_verb() {
  return {
      .name = "export",
      .summary = "write studies for other tools, or a trial's model",
      .text =
          "--logical leaves out time, place and attempts: trials, decisions, metrics and hashes of checkpoints "
          "remain, which are equal byte by byte for any number of workers and after any interruption.\n"
          "--archive writes one tar file with all of a study's rows and its artifacts, which `dlrun import` takes into "
          "another store; of a study that is running, what there is at this moment. `-o -` is standard output. "
          "FILE.zst is compressed.\n"
          "--optuna writes a new SQLite file of Optuna's with one or more studies, to ask for trials in Optuna: "
          "optuna.load_study(study_name=…, storage=\"sqlite:///FILE\"). To read a study there, open its file in the "
          "store, "
          "which needs no export.\n"
          "--weights writes a trial's tensors as a safetensors file under PyTorch's names: in Python, "
          "net.load_state_dict(safetensors.torch.load_file(FILE)); in a study, trial: {init: FILE}.\n"
          "--safetensors writes the same file, NAME.safetensors, and NAME.yaml beside it: the trial's configuration, "
          "and how its inputs "
          "are made from the data, with every mean, deviation and category that training measured.\n"
          "--checkpoint copies the file that a trial of any kind left, byte for byte: of a program the one that it "
          "reported.\n"
          "--examples writes the results of single validation examples that a program reported, the newest of each "
          "member of the trial: columns replicate, fold, step, id, value.\n"
          "--tensorboard, --mlflow and --csv write studies into a folder for other tools; an earlier export there is "
          "replaced as a whole. --to NAME does the same by a plugin of kind exporter; `dlrun plugins` lists them.",
      .arguments = {{.name = "STUDY",
                     .text = "its name (default: the one started last); --optuna, --tensorboard, --mlflow, --csv and "
                             "--to take several, or all",
                     .kind = Kind::study,
                     .least = 0,
                     .most = -1}},
      .options = with_tool_options(
          {{.name = "logical", .text = "what does not depend on when and where it ran"},
           {.name = "archive", .text = "the study with its artifacts, to FILE"},
           {.name = "optuna",
            .value = "FILE",
            .text = "studies as a database with which Optuna can go on",
            .kind = Kind::file,
            .writes = true},
           {.name = "artifacts",
            .value = "WHOSE",
            .text = "of --archive: all (default), best (the best trial's) or none (the rows alone)",
            .choices = {"all", "best", "none"}},
           {.name = "zstd", .text = "of --archive: compress it, also where FILE does not end in .zst"},
           {.name = "force",
            .text = "of --archive, --optuna, --safetensors and --checkpoint: replace FILE; of exports to a folder: "
                    "replace it"},
           {.name = "weights", .value = "TRIAL", .text = "its weights, to FILE", .kind = Kind::trial},
           {.name = "safetensors",
            .value = "TRIAL",
            .text = "its weights, to FILE (NAME.safetensors), and their description, to NAME.yaml",
            .kind = Kind::trial},
           {.name = "checkpoint",
            .value = "TRIAL",
            .text = "the file that it left, as it is, to FILE",
            .kind = Kind::trial},
           {.name = "examples",
            .value = "TRIAL",
            .text = "results of its validation examples, as CSV",
            .kind = Kind::trial},
           epoch_option(),
           output_option("write there instead of to standard output; of --to: the folder (default: NAME)"),
           store_option()}),
      .examples = {{"dlrun export --logical | sha256sum", "the study's fingerprint"},
                   {"dlrun export --logical first -o first.json", "into a file"},
                   {"dlrun export --archive first -o first.dlrun.tar", "a study to take along"},
                   {"dlrun export --safetensors best -o best.safetensors", "a model to take along"},
                   {"dlrun export --optuna first.sqlite first", "a study to go on with in Optuna"},
                   {"dlrun export --tensorboard runs all", "every study, for TensorBoard"}},
      .run = run_export};
}

}  // namespace dlrun::cli
