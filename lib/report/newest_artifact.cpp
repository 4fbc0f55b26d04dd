// SPDX-License-Identifier: Apache-2.0
#include "report/newest_artifact.hpp"

#include "storage/artifact_files.hpp"

namespace dlrun::report {

namespace {

constexpr const char* kNewest =
    "SELECT a.sha256 FROM dl_artifact a JOIN dl_attempt t ON t.trial = a.trial AND t.replicate = a.replicate AND "
    "t.fold = a.fold AND t.piece = a.piece AND t.attempt = a.attempt WHERE t.state = 1 AND a.role = ?2 AND "
    "a.deleted IS NULL AND a.trial = ?1 ORDER BY a.step DESC, a.piece DESC LIMIT 1";

}  // namespace

std::optional<std::filesystem::path> newest_artifact(const OpenedStudy& opened, std::int64_t trial,
                                                     const std::string& role) {
  storage::Statement row = opened.query(kNewest);
  row.bind(trial, role);
  if (!row.step()) return std::nullopt;
  const auto files = storage::files_of(opened.store / "artifacts", std::string(row.text(0)));
  return files.empty() ? std::nullopt : std::optional(files.front());
}

}  // namespace dlrun::report
