// SPDX-License-Identifier: Apache-2.0
#include "storage/owners.hpp"

#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

/// Calls `look` with each study that can be read, until it returns true.
template <class Look>
void for_each_study(const std::filesystem::path& folder, const Look& look) {
  for (const std::string& name : study_names(folder)) {
    try {
      if (look(name, *open_for_reading(study_file(folder, name, ".db")))) return;
    } catch (const Error&) {
      continue;  // a damaged study answers nothing, the others may
    }
  }
}

}  // namespace

std::optional<Owner> owner_of(const std::filesystem::path& folder, const std::string& sha256) {
  std::optional<Owner> out;
  for_each_study(folder, [&](const std::string& name, Database& study) {
    Statement row = study.prepare(
        "SELECT trial, role, step FROM dl_artifact WHERE sha256 = ? ORDER BY trial, piece, step, role LIMIT 1");
    if (!row.bind(sha256).step()) return false;
    out = Owner{name, row.integer(0), std::string(row.text(1)), row.integer(2)};
    return true;
  });
  return out;
}

Hashes kept_by_all(const std::filesystem::path& folder) {
  Hashes out;
  for_each_study(folder, [&](const std::string&, Database& study) {
    out.merge(kept_by(study));
    return false;
  });
  return out;
}

}  // namespace dlrun::storage
