// SPDX-License-Identifier: Apache-2.0
#include "report/readable.hpp"

#include <fmt/format.h>

#include "report/opened.hpp"
#include "report/selectors.hpp"

namespace dlrun::report {

std::vector<Error> read_each(const std::filesystem::path& store, const std::vector<std::string>& studies,
                             const std::function<void(const OpenedStudy&)>& read) {
  std::vector<Error> faults;
  for (const std::string& name : studies) {
    try {
      read(open_study(store, name));
    } catch (const Error& fault) {
      faults.push_back(fault);
    }
  }
  return faults;
}

Readable readable_of(const std::filesystem::path& store, const std::vector<std::string>& studies) {
  if (studies.size() < 2) return {studies, {}};
  Readable readable;
  readable.faults = read_each(store, studies, [&](const OpenedStudy& study) {
    summary_of(study);
    readable.studies.push_back(study.name);
  });
  if (readable.studies.empty()) require_none(readable.faults);
  return readable;
}

Readable find_readable(const std::filesystem::path& store, const std::vector<std::string>& words) {
  return readable_of(store, find_studies(store, words));
}

void require_none(const std::vector<Error>& faults) {
  if (faults.empty()) return;
  if (faults.size() == 1) throw Error(faults.front());
  std::string text = fmt::format("{} studies cannot be read", faults.size());
  for (const Error& fault : faults) text += (&fault == &faults.front() ? ": " : "; ") + std::string(fault.what());
  throw Error(faults.front().kind(), text, "`dlrun verify all` says what is wrong with each");
}

Table faults_table(const std::vector<Error>& faults) {
  Table table{"studies that cannot be read", {"fault"}, {}};
  for (const Error& fault : faults) table.rows.push_back({fault.what()});
  return table;
}

}  // namespace dlrun::report
