// SPDX-License-Identifier: Apache-2.0
// dlrun gc [STUDY]: deletes checkpoints that nobody needs, or says which they are.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "arguments.hpp"
#include "driver/keeping.hpp"
#include "new_file.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "report/trials.hpp"
#include "spec/study_spec.hpp"
#include "storage/attempt_files.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/units.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr int kMostListed = 1'000'000;
constexpr const char* kNoFiles = "files=false";  ///< working files of attempts, which no policy is about

/// "best=1" into the policy.
void set(storage::KeepPolicy& keep, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const bool is_count =
      !value.empty() && value.size() < 7 && value.find_first_not_of("0123456789") == std::string::npos;
  const bool is_word = value == "true" || value == "false";
  if (key == "rungs" && is_word) {
    keep.rungs = value == "true";
  } else if (key == "all" && is_word) {
    keep.all = value == "true";
  } else if (key == "epochs" && value == "false") {
    keep.epochs = false;
  } else if ((key == "best" || key == "last") && is_count) {
    (key == "best" ? keep.best : keep.last) = std::min(std::stoi(value), kMostListed);
  } else {
    throw Error(ErrorKind::usage, fmt::format("--keep '{}' is none", word),
                "best=N, last=N, rungs=true or false, all=true or false, epochs=false, files=false");
  }
}

/// Rejects an unfinished study: it continues from its checkpoints.
void require_finished(const std::filesystem::path& store, const std::string& study) {
  const std::string word = report::study_state(store, study).value_or("not started");
  if (word == "finished") return;
  throw Error(ErrorKind::usage,
              fmt::format("study '{}' is {}, not finished: its checkpoints are needed to go on", study, word),
              "without a study only files that no study refers to are deleted");
}

report::Table removal_table(const std::vector<storage::Doomed>& doomed) {
  report::Table table{.title = "what would be deleted", .columns = {"file", "bytes", "why"}};
  for (const storage::Doomed& one : doomed) table.rows.push_back({one.file, one.bytes, one.reason});
  return table;
}

void say_removed(Console& console, const char* what, const storage::Collected& sum) {
  console.note(
      fmt::format("{} {} file{}, {}", what, sum.files, sum.files == 1 ? "" : "s", bytes_text(double(sum.bytes))));
}

/// Ascending numbers: "trial 3", "trials 0-4, 7".
std::string trials_text(const std::vector<std::int64_t>& trials) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < trials.size(); first = next) {
    while (next < trials.size() && trials[next] - trials[first] == std::int64_t(next - first)) ++next;
    text += fmt::format("{}{}", first > 0 ? ", " : "", trials[first]);
    if (next - first > 1) text += fmt::format("-{}", trials[next - 1]);
  }
  return (trials.size() == 1 ? "trial " : "trials ") + text;
}

void say_lost(Console& console, const char* what, const storage::GivenUp& lost) {
  if (lost.checkpoints == 0) return;
  console.note(fmt::format("{} {} checkpoint{} of {}", what, lost.checkpoints, lost.checkpoints == 1 ? "" : "s",
                           trials_text(lost.trials)));
}

/// @throws Error of the study's kind where one cannot be read.
void say_hindrance(Console& console, const char* what, const storage::Hindrance& hindrance) {
  const std::string text = fmt::format("{}: {}", what, hindrance.why);
  if (hindrance.fault)
    throw Error(*hindrance.fault, text, "it may refer to any of them; `dlrun verify all` says what is wrong with it");
  console.note(text);
}

/// Does a program read the answer? It gets a table also where nothing is in it.
bool is_for_programs(const Console& console) { return console.format() != "table"; }

int show(Console& console, const storage::Forecast& forecast) {
  const std::vector<storage::Doomed>& doomed = forecast.files;
  if (forecast.hindrance)
    say_hindrance(console, doomed.empty() ? "no file would be deleted" : "no artifact would be deleted",
                  *forecast.hindrance);
  storage::Collected sum;
  for (const storage::Doomed& one : doomed) {
    ++sum.files;
    sum.bytes += one.bytes;
  }
  if (!doomed.empty() || is_for_programs(console)) console.print({removal_table(doomed)});
  if (!doomed.empty() || !forecast.hindrance) say_removed(console, "would delete", sum);
  return 0;
}

void say_collected(Console& console, const storage::Collected& collected) {
  const bool has_files = collected.files > 0;
  if (collected.hindrance)
    say_hindrance(console, has_files ? "no artifact was deleted" : "no file was deleted", *collected.hindrance);
  if (has_files || !collected.hindrance) say_removed(console, "deleted", collected);
  if (is_for_programs(console))
    console.print({{.title = "deleted", .columns = {"files", "bytes"}, .rows = {{collected.files, collected.bytes}}}});
}

int collect_store(const Arguments& arguments, Console& console) {
  if (arguments.has("keep")) throw Error(ErrorKind::usage, "--keep is about one study", "dlrun gc STUDY --keep best=1");
  const std::int64_t grace = storage::collection_grace(arguments.store());
  if (arguments.has("dry-run")) return show(console, storage::find_garbage(arguments.store(), grace));
  say_collected(console, storage::collect_garbage(arguments.store(), grace));
  return 0;
}

int collect_study(const Arguments& arguments, Console& console) {
  const std::filesystem::path store = arguments.store();
  const std::string study = report::find_study(store, arguments.words()[0]);
  require_finished(store, study);
  const storage::StudyRow row = storage::Store::find(store, study).value();
  const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
  storage::KeepPolicy keep = driver::keep_policy(spec);
  keep.also = report::front_trials(store, study);
  const std::vector<std::string> words = arguments.list("keep");
  const bool drops_files = std::find(words.begin(), words.end(), kNoFiles) != words.end();
  for (const std::string& word : words) {
    if (word != kNoFiles) set(keep, word);
  }
  if (arguments.has("dry-run")) {
    say_lost(console, "would give up", storage::lost_by(store, study, keep));
    storage::Forecast all = storage::find_given_up(store, study, keep);
    if (all.hindrance) all.files.clear();
    if (drops_files) std::ranges::move(storage::attempt_files(store, study), std::back_inserter(all.files));
    return show(console, all);
  }
  const std::unique_ptr<storage::Store> opened = storage::Store::open(store, study, spec.space);
  const storage::GivenUp lost = storage::lost_by(store, study, keep);
  storage::Collected collected = opened->artifacts().collect(keep);
  if (drops_files) {
    const storage::Collected working = storage::remove_attempt_files(store, study);
    collected.files += working.files;
    collected.bytes += working.bytes;
  }
  opened->close();
  say_lost(console, "gave up", lost);
  say_collected(console, collected);
  return 0;
}

/// Is it a store without a study, as after a first import that was killed, with nothing in it but a store's own
/// folders?
bool is_bare_store(const std::filesystem::path& folder) {
  std::error_code none;
  if (!std::filesystem::is_directory(folder, none) || !storage::Store::names(folder).empty()) return false;
  const auto entries = entries_of(folder);
  return !entries.empty() &&
         std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return is_of_store(entry.filename()); });
}

int run_gc(const Arguments& arguments, Console& console) {
  if (!arguments.words().empty() || !is_bare_store(arguments.store())) report::find_study(arguments.store(), "");
  return arguments.words().empty() ? collect_store(arguments, console) : collect_study(arguments, console);
}

}  // namespace

Verb gc_verb() {
  return {
      .name = "gc",
      .summary = "delete checkpoints that nobody needs",
      .text =
          "Without a study: files that no study of the store refers to, left by a crash or a deleted study. Of a "
          "finished study: the checkpoints that its `keep:` gives up, or less of it with --keep. What another "
          "study or trial refers to stays, and so does everything of a study that may go on. A study that gave up a "
          "checkpoint cannot use it any more, also if another study keeps the file.",
      .arguments = {{.name = "STUDY", .text = "a finished study (default: none)", .kind = Kind::study, .least = 0}},
      .options = {{.name = "dry-run", .text = "say which files would go, how large they are and why; delete nothing"},
                  {.name = "keep",
                   .value = "WHAT",
                   .text = "in place of the study's own: best=N, last=N, rungs=false, all=false, epochs=false; "
                           "files=false: nothing but logs in the folders of attempts",
                   .repeats = true},
                  format_option(),
                  store_option()},
      .examples = {{"dlrun gc --dry-run", "what is left over in the store"},
                   {"dlrun gc first --keep best=1 --keep last=0 --keep rungs=false", "the best trial's alone"},
                   {"dlrun gc first --keep files=false", "working files of programs too"}},
      .run = run_gc};
}

}  // namespace dlrun::cli
