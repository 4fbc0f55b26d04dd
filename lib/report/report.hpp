// SPDX-License-Identifier: Apache-2.0
// Answers from the store, read-only: tables that every output format prints. Anyone may read while a driver writes.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::report {

/// A table as every format prints it (text, json, csv, markdown). Cells: null, bool, number, string.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

/// Opened studies of one store. @throws Error(not_found) with the nearest name; Error(store) damaged or newer.
class Reader {
 public:
  /// `studies` empty: the one last started in this store.
  Reader(const std::filesystem::path& store, const std::vector<std::string>& studies);
  ~Reader();

  Table studies() const;                     ///< name, state, trials, best, started, …
  Table status() const;
  Table best(int count) const;               ///< the best trials with their parameters
  Table progress() const;
  Table parameters() const;                  ///< domain, best value, rank correlation with the objective
  Table trial(std::int64_t number) const;    ///< all facts of a trial
  Json trial_config(std::int64_t number) const;   ///< the study's trial section with the values set: ready to run
  std::vector<std::filesystem::path> logs(std::int64_t number) const;
  Json logical_export() const;               ///< everything but time, place and attempts; canonical

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One select statement in the sandbox. @throws Error(usage) for anything but a query, past 10,000 rows or 5 s.
Table sql(const std::filesystem::path& store, const std::vector<std::string>& studies, const std::string& statement);

}  // namespace dlrun::report
