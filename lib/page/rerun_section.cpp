// SPDX-License-Identifier: Apache-2.0
#include "page/rerun_section.hpp"

#include <fmt/format.h>

#include "page/markup.hpp"
#include "trial/kinds.hpp"

namespace dlrun::page {

namespace {

using report::OpenedStudy;

std::string code(const std::string& text) {
  return "<pre tabindex=\"0\"><code>" + escaped_lines(text) + "</code></pre>\n";
}

/// Command of the first driver; empty: an older dlrun did not keep it.
std::string command_of(const OpenedStudy& study) {
  storage::Statement row = study.query("SELECT command FROM dl_environment WHERE command <> '' ORDER BY epoch LIMIT 1");
  return row.step() ? std::string(row.text(0)) : std::string();
}

std::string spec_text(const OpenedStudy& study) { return study.database->text("SELECT spec_text FROM dl_study"); }

/// Drivers of the study with their machines, the newest first.
report::Table environment_of(const OpenedStudy& study) {
  const std::string executor =
      study.has_column("v_environment", "executor")
          ? "executor || ifnull(' ' || executor_version || ' (' || substr(executor_sha256, 1, 12) || ')', '')"
          : "NULL";
  return report::table_of(
      study.query("SELECT driver, started, version, host, os, device, libtorch, cores, git_revision, data_sha256, " +
                  executor + " FROM v_environment ORDER BY driver DESC LIMIT 20"),
      "drivers", {"run", "started", "dlrun", "host", "os", "device", "libtorch", "cores", "git", "data", "executor"});
}

/// Sentence on a best trial that is an heir; empty for others.
std::string donor_text(const OpenedStudy& study) {
  const Json trial = report::best_trial_of(study).trial;
  const Json donor = trial.is_null() ? Json() : report::donor_of(study, trial.get<std::int64_t>());
  if (donor.is_null()) return {};
  return fmt::format(
      "<p>It began with the checkpoint of trial {}: the file of its settings alone measures other "
      "values.</p>\n",
      to_text(donor));
}

/// How to carry out the best trial again; nothing where people carried it out.
std::string best_again(const OpenedStudy& study) {
  const std::string kind = study.database->text("SELECT json_extract(spec, '$.trial.kind') FROM dl_study");
  if (kind == "asked") return {};
  const char* how = trial::runs_program(kind) ? "run again with its program" : "trained again from the store alone";
  return fmt::format("<p>Its best trial can be {}, and compared bit by bit:</p>\n", how) +
         code(fmt::format("dlrun reproduce {}/best\ndlrun show {}/best --yaml > best.yaml", study.name, study.name)) +
         donor_text(study);
}

}  // namespace

std::string rerun_html(const StudyPage& page) {
  const OpenedStudy& study = *page.study;
  const std::string command = command_of(study);
  std::string out;
  if (!command.empty()) out += "<p>The study was run by</p>\n" + code(command);
  if (!page.data.at("best").is_null()) out += best_again(study);
  if (const std::string spec = spec_text(study); !spec.empty())
    out += "<details><summary>The study's file as written</summary>" + code(spec) + "</details>\n";
  const report::Table environment = environment_of(study);
  return environment.rows.empty() ? out : out + table_html(environment, page.named);
}

std::string notes_html(const StudyPage& page) {
  const report::Table notes = report::notes_of(*page.study);
  return notes.rows.empty() ? std::string() : table_html(notes, page.named);
}

}  // namespace dlrun::page
