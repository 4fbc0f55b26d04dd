// SPDX-License-Identifier: Apache-2.0
// `reuse: trials`: what an earlier study of the store has measured already is cited, not run again.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "storage/stored_results.hpp"

namespace dlrun::driver {

/// A piece's result, taken from another study.
struct Cited {
  trial::PieceResult result;  ///< as a worker would have sent it; its message says whose it is
  storage::Citation citation;
};

/// Finds the donor of a piece: the same work (spec::work_hash) in the same numerics class, of the study created first
/// (then by name), the trial of the lowest number. Donors that failed, were cancelled, whose attempts differ, or that
/// lack the checkpoint this study goes on from or the values of single examples that it analyses, or keep checkpoints
/// of other epochs (`keep.epochs`), are passed over. A find is a fact of the store at this moment. A cited result
/// becomes an event like any result, so nothing depends on the donor afterwards.
class Reuse {
 public:
  /// Reads the other studies of the store; finds nothing if the study does not ask for it.
  Reuse(const spec::StudySpec& spec, const std::filesystem::path& folder);

  bool is_empty() const { return known_.empty(); }
  /// @param values    of the piece's trial, without its members
  /// @param numerics  that this run computes in
  std::optional<Cited> find(const study::StartPiece& piece, const space::Values& values, const std::string& numerics);

 private:
  struct Donor {
    std::string study;
    trial::Member member;
    std::vector<std::int64_t> kept;  ///< epochs that its study keeps checkpoints of
    std::string values;              ///< metric of which it keeps the values of single examples
  };
  using Results = std::map<trial::PieceKey, storage::StoredResult>;

  void learn(const storage::StudyRow& row);
  const Results& results_of(const std::string& study);
  const storage::StoredResult* fitting(const Donor& donor, const study::StartPiece& piece, const std::string& numerics);
  bool has_values(const trial::PieceResult& result) const;
  bool keeps_alike(const Donor& donor, const storage::StoredResult& stored) const;
  std::vector<std::string> missing_files(const trial::PieceResult& result) const;

  const spec::StudySpec& spec_;
  std::filesystem::path folder_;
  std::map<std::string, std::vector<Donor>> known_;  ///< by work_hash, the earliest first
  std::map<std::string, Results> results_;           ///< results of the studies that were asked
};

}  // namespace dlrun::driver
