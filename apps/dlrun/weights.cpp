// SPDX-License-Identifier: Apache-2.0
#include "weights.hpp"

#include <fmt/format.h>

#include "report/report.hpp"
#include "tensors/weights.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::cli {

namespace {

/// role, step, sha256, deleted; the wanted one first.
report::Table checkpoints(const std::filesystem::path& store, const OneTrial& trial, const std::string& role) {
  return report::sql(store, {trial.study},
                     fmt::format("select role, step, sha256, deleted from artifacts where trial = {} and role in "
                                 "('last', '{}') order by role, replicate, fold, piece desc, attempt desc limit 1",
                                 trial.number, role),
                     report::kOwnSql);
}

std::string read_artifact(const std::filesystem::path& store, const std::string& sha256) {
  const std::filesystem::path path = store / "artifacts" / sha256.substr(0, 2) / (sha256 + ".safetensors");
  std::string bytes = read_file(path);
  if (Sha256::hex_of(bytes) == sha256) return bytes;
  throw Error(ErrorKind::store, "artifact '" + path.string() + "' is damaged: its content does not match its name");
}

}  // namespace

Weights weights_of(const std::filesystem::path& store, const OneTrial& trial, const std::string& role) {
  const report::Table found = checkpoints(store, trial, role);
  const std::string name = fmt::format("{}/{}", trial.study, trial.number);
  if (found.rows.empty()) {
    throw Error(ErrorKind::not_found, fmt::format("trial {} has no checkpoint", name),
                "trials of kind train leave one when they have run");
  }
  const std::vector<Json>& row = found.rows[0];
  if (!row.at(3).is_null()) {
    throw Error(ErrorKind::not_found, fmt::format("the checkpoint of trial {} was given up", name),
                "`keep:` in the study says whose stay; `dlrun show " + name + " --yaml` runs the trial again");
  }
  const tensors::SafeTensors file(read_artifact(store, row.at(2).get<std::string>()),
                                  "the checkpoint of trial " + name);
  const std::vector<tensors::TensorView> weights = tensors::weights_of(file);
  return {tensors::write_safetensors(weights, {{"format", "pt"}}), weights.size(), row.at(0).get<std::string>(),
          row.at(1).get<std::int64_t>()};
}

}  // namespace dlrun::cli
