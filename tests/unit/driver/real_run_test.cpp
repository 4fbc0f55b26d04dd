// SPDX-License-Identifier: Apache-2.0
// A study that workers of this machine carry out, and its trials run again: with everything as it was, and with single
// facts of the record changed, against tests/golden/reproduced.txt. DLRUN_APPROVE=1 writes the file anew.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "around.hpp"
#include "driver/reproduce.hpp"
#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "util/error.hpp"

namespace real_run_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

constexpr const char* kStudy = R"(study: real
seed: 5
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}, n: {type: int, low: 1, high: 9}}
search: {sampler: random, lanes: 2, pruner: {op: asha, eta: 2}}
limits: {trials: 5}
trial: {kind: function, function: {op: sphere, noise: 0.1}, epochs: 4, replicates: 2}
)";

/// The study, carried out by two workers.
struct Carried {
  support::TempFolder folder{support::in_memory()};
  std::string text;

  Carried() {
    Options options{.store = folder / "store", .workers = 2, .worker_binary = DLRUN_WORKER};
    support::Lines lines;
    const Summary s = run_study(support::spec_from(kStudy), options, lines);
    text = fmt::format("{} {}; {} completed, {} pruned, {} failed; best {} of {}\n", s.finished, s.reason, s.completed,
                       s.pruned, s.failed, s.best.value_or(-1), s.best_trial);
    for (const std::string& line : lines.all) text += "  " + line + "\n";
  }
  std::filesystem::path file() const { return storage::study_file(folder / "store", "real", ".db"); }
  void change(const std::string& sql) const { storage::Database(file(), storage::Database::Mode::write).run(sql); }
};

std::string text_of(const Reproduction& out) {
  std::string text = fmt::format("    {} of {} values, {} of {} checkpoints{}\n", out.equal_values, out.values,
                                 out.equal_checkpoints, out.checkpoints,
                                 !out.is_steady   ? ""
                                 : *out.is_steady ? ", steady"
                                                  : ", unsteady");
  for (const Difference& d : out.differences)
    text += fmt::format("    {} at {}, {}: {} recorded, {} now\n", trial::describe(d.member), d.step, d.what,
                        d.recorded, d.now);
  for (const InputDifference& d : out.inputs) text += fmt::format("    {} was {}\n", d.input, d.recorded);
  for (const std::string& failure : out.failures) text += "    " + failure + "\n";
  return text + fmt::format("    cited {}\n", fmt::join(out.cited, " "));
}

std::string reproduced(const Carried& study, std::int64_t trial, ReproduceOptions options = {}) {
  const support::TempFolder folder(support::in_memory());
  options.rerun = {.store = study.folder / "store", .folder = folder.path(), .worker_binary = DLRUN_WORKER};
  try {
    const ReproducePlan plan = plan_reproduction("real", trial::TrialId(trial), options);
    return fmt::format("    {} pieces, {} epochs\n", plan.pieces.size(), plan.epochs) +
           text_of(reproduce(plan, options));
  } catch (const Error& fault) {
    return fmt::format("    {}: {} ({})\n", int(fault.kind()), fault.what(), fault.hint());
  }
}

/// A change of the record, and what a reproduction of trial 0 says of it.
std::string changed(const Carried& study, const std::string& sql) {
  const std::filesystem::path sound = study.folder / "sound.db";
  std::filesystem::copy_file(study.file(), sound, std::filesystem::copy_options::skip_existing);
  study.change(sql);
  const std::string text = "  " + sql + "\n" + reproduced(study, 0);
  std::filesystem::copy_file(sound, study.file(), std::filesystem::copy_options::overwrite_existing);
  return text;
}

}  // namespace

TEST_CASE("a study of real workers is reproduced, and what differs is named", "[driver][golden]") {
  const Carried study;
  std::string text = study.text;
  for (const std::int64_t trial : {0, 4, 5}) text += fmt::format("  trial {}\n", trial) + reproduced(study, trial);
  text += "  replicate 1\n" + reproduced(study, 0, {.rerun = {}, .replicate = 1, .fold = {}, .threads = {}});
  text += "  replicate 7\n" + reproduced(study, 0, {.rerun = {}, .replicate = 7, .fold = {}, .threads = {}});
  for (const char* sql :
       {"UPDATE dl_metric SET value = value + 1 WHERE trial = 0 AND step = 1 AND replicate = 1",
        "DELETE FROM dl_metric WHERE trial = 0 AND replicate = 0",
        "UPDATE dl_attempt SET state = 2, cause = 3 WHERE trial = 0 AND replicate = 0",
        "UPDATE dl_environment SET version = '0.0.0', os = 'an old system', host = 'elsewhere', cores = 999, "
        "device = 'an abacus', git_revision = 'abc', git_dirty = 1",
        "UPDATE dl_worker SET device = 'an abacus', threads = 77, numerics = 'by hand', cores = '5,6', libtorch = "
        "'0.1'"})
    text += changed(study, sql);
  CHECK(text == support::golden(DLRUN_SOURCE_DIR "/tests/golden/reproduced.txt", text));
}

}  // namespace real_run_test
