// SPDX-License-Identifier: Apache-2.0
// A search that left checkpoints: trials of kind train, with their files under artifacts/.
#pragma once
#include <filesystem>

#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "tensors/safetensors.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace final_test {

using namespace dlrun;

inline space::Space line() { return space::Space({{.name = "lr", .at = "optimizer.lr", .low = 0, .high = 1}}); }

inline storage::StudyRow search_row(const std::string& name = "search") {
  storage::StudyRow row = support::sample_row(name);
  row.spec["trial"] = {{"kind", "train"},
                       {"epochs", 3},
                       {"data", {{"op", "csv"}, {"path", "a.csv"}}},
                       {"optimizer", {{"op", "sgd"}, {"lr", 0.1}}}};
  row.spec["space"] =
      Json::array({{{"name", "lr"}, {"at", "optimizer.lr"}, {"type", "float"}, {"low", 0}, {"high", 1}}});
  row.spec["resources"] = Json::object();
  return row;
}

/// A checkpoint of one tensor w of so many numbers, all of them `number`.
inline std::string checkpoint(int numbers, float number) {
  std::string bytes;
  for (int i = 0; i < numbers; ++i) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return tensors::write_safetensors({{"w", "F32", {numbers}, bytes}}, {});
}

/// Puts the checkpoint into the store's folder.
inline trial::Artifact artifact(const std::filesystem::path& folder, const std::string& bytes, std::int64_t step = 1,
                                const std::string& role = "last") {
  const std::string hash = Sha256::hex_of(bytes);
  const std::filesystem::path file = storage::checkpoint_file(folder, hash);
  make_folders(file.parent_path());
  write_file(file, bytes);
  return {role, hash, std::int64_t(bytes.size()), step};
}

/// Trial n with lr n / 10, measured `value` at epoch 1.
inline void write_trial(storage::Store& store, std::int64_t trial, double value,
                        const std::vector<trial::Artifact>& artifacts, const std::string& metric = "val.accuracy") {
  store.begin();
  store.add(support::start_of(trial, {double(trial) / 10}));
  store.attempts().start({support::piece_of(trial), 1, 0});
  trial::PieceResult result = support::result_of(trial, value);
  result.reports = {{1, {{metric, value}}}};
  result.artifacts = artifacts;
  store.add(study::Event(study::PieceEnded{result}));
  store.change({trial::TrialId(trial), trial::TrialState::completed, value, 1, trial::Cause::none, "", 1});
  store.commit(storage::Durability::normal);
}

/// Ends a trial in another way.
inline void settle(storage::Store& store, const study::TrialChanged& change) {
  store.begin();
  store.change(change);
  store.commit(storage::Durability::normal);
}

/// Fold of a trial, measured `value` at epoch 1.
inline void write_fold(storage::Store& store, std::pair<std::int64_t, int> fold, double value,
                       const trial::Artifact& left) {
  store.begin();
  if (fold.second == 0) store.add(support::start_of(fold.first, {double(fold.first) / 10}));
  trial::PieceResult result = support::result_of(fold.first, value);
  result.key.member.fold = fold.second;
  store.attempts().start({result.key, 1, 0});
  result.reports = {{1, {{"val.accuracy", value}}}};
  result.artifacts = {left};
  store.add(study::Event(study::PieceEnded{result}));
  store.commit(storage::Durability::normal);
}

}  // namespace final_test
