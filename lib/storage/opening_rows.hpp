// SPDX-License-Identifier: Apache-2.0
// One opening of a study by a driver: its environment, its workers, and the energy that no attempt took.
#pragma once
#include <optional>
#include <string>

#include "storage/rows.hpp"
#include "storage/transaction.hpp"

namespace dlrun::storage {

class OpeningRows {
 public:
  /// @param epoch  number of this opening
  OpeningRows(Database& database, const Transaction& transaction, std::int64_t epoch)
      : database_(database), transaction_(transaction), epoch_(epoch) {}

  /// Records this opening's driver. Returns the `arithmetic` of an earlier opening's driver if it is another one, of
  /// the latest such driver; nullopt: all are equal.
  std::optional<int> environment(const Environment& environment);
  /// The program as the last driver before this one found it that recorded any file.
  Program earlier_program() const;
  /// @param state  running | joined (it runs, and was not started by the driver) | ended | lost
  void worker(std::int64_t number, std::int64_t pid, const std::string& host, const std::string& state);
  /// Records the runtime of a worker of this opening, whose row is there. Returns the numerics class of an earlier
  /// opening's worker if it is another one; empty: all are equal.
  std::string runtime(std::int64_t worker, const trial::Runtime& runtime);
  /// Energy that this opening's run spent beside attempts; needs an open transaction. @param what  idle | test
  void energy(const std::string& what, const std::string& source, std::optional<double> joules);

 private:
  Database& database_;
  const Transaction& transaction_;
  std::int64_t epoch_;
};

}  // namespace dlrun::storage
