// SPDX-License-Identifier: Apache-2.0
#include "exchange/whole_studies.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "exchange/study_source.hpp"
#include "util/error.hpp"

namespace dlrun::exchange {

namespace {

void require_pages(const report::OpenedStudy& study) {
  storage::Statement row = study.query("PRAGMA quick_check(1)");
  if (row.step() && row.text(0) == "ok") return;
  throw Error(ErrorKind::store, fmt::format("study '{}' has damaged pages", study.name),
              fmt::format("`dlrun verify {}` says which", study.name));
}

}  // namespace

report::Readable whole_studies(const std::filesystem::path& store, const std::vector<std::string>& studies) {
  report::Readable whole;
  whole.faults = report::read_each(store, studies, [&](const report::OpenedStudy& study) {
    StudySource(store, study.name).for_each_trial([](const Trial&) {});
    require_pages(study);
    whole.studies.push_back(study.name);
  });
  return whole;
}

Exported export_whole(const std::filesystem::path& store, report::Readable& readable,
                      const std::function<Exported(const std::vector<std::string>& studies)>& run) {
  try {
    return run(readable.studies);
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    report::Readable whole = whole_studies(store, readable.studies);
    if (whole.faults.empty() || whole.studies.empty()) throw;
    readable.studies = std::move(whole.studies);
    std::move(whole.faults.begin(), whole.faults.end(), std::back_inserter(readable.faults));
  }
  return run(readable.studies);
}

}  // namespace dlrun::exchange
