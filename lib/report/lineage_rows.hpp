// SPDX-License-Identifier: Apache-2.0
// Rows of lineage from all studies of a store. Each question is answered by an index, whatever the studies' size.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/lineage.hpp"
#include "report/opened.hpp"

namespace dlrun::report {

class LineageRows {
 public:
  /// Opens every study that can be read; each is seen at one moment.
  LineageRows(const std::filesystem::path& store, const LineageOptions& options);

  bool has(const TrialName& trial) const;
  /// @throws Error(not_found); if the study is there but cannot be read, with the fault of opening it
  void require(const TrialName& trial) const;
  LineageTrial facts(const TrialName& trial) const;
  std::vector<LineageEdge> into(const TrialName& trial) const;    ///< edges to the trial, those of its study among them
  std::vector<LineageEdge> out_of(const TrialName& trial) const;  ///< other trials' and studies', from it
  std::vector<LineageEdge> by_artifact(const std::string& sha256) const;  ///< edges that handed the artifact over
  std::vector<LineageArtifact> artifacts_of(const TrialName& trial) const;
  std::vector<LineageArtifact> artifact(const std::string& sha256) const;  ///< attempts that left it
  std::vector<std::string> hashes(const std::string& prefix) const;        ///< hashes that begin so, at most ten
  std::vector<LineageAttempt> attempts(const TrialName& trial) const;
  std::string data_of(const std::string& study) const;
  std::map<std::string, std::int64_t> trials_on(const std::string& data) const;

 private:
  struct Study {
    OpenedStudy opened;
    std::unique_ptr<Snapshot> snapshot;
    std::string edge_columns;  ///< columns of a dl_edge of its schema
    bool has_from_trial = false, has_from_study = false;
    std::string data, init;
    std::vector<std::string> learned_from;
  };
  void open(const std::filesystem::path& store, const std::string& name);
  const Study* find(const std::string& study) const;
  std::vector<LineageEdge> edges(const Study& study, storage::Statement rows) const;
  std::vector<LineageArtifact> artifacts(const Study& study, storage::Statement rows) const;
  void add_of_study(const Study& study, std::vector<LineageEdge>& edges) const;
  void add_made_by(const TrialName& trial, const Study& study, std::vector<LineageEdge>& edges) const;
  std::string member() const;
  bool may_come_from(const LineageEdge& edge) const;

  LineageOptions options_;
  std::map<std::string, Study> studies_;
};

}  // namespace dlrun::report
