// SPDX-License-Identifier: Apache-2.0
#include "final/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "report/report.hpp"
#include "storage/paths.hpp"
#include "tensors/weights.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::final {

namespace {

/// Which checkpoints are meant, as SQL over the view `artifacts`.
std::string condition(const std::string& epoch) {
  if (epoch.empty() || epoch == "best") return "role in ('last', 'best')";
  if (epoch == "last") return "role = 'last'";
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(epoch.data(), epoch.data() + epoch.size(), number);
  if (fault == std::errc() && end == epoch.data() + epoch.size() && number >= 0)
    return fmt::format("role in ('last', 'best', 'epoch') and step = {}", number);
  throw Error(ErrorKind::usage, fmt::format("--epoch {}: there is no such epoch", epoch), "best, last, or a number");
}

/// role, step, sha256, deleted, replicate, fold; the wanted one first.
report::Table checkpoints(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch) {
  return report::sql(store, {trial.study},
                     fmt::format("select role, step, sha256, deleted, replicate, fold from artifacts where trial = {} "
                                 "and {} order by {} role, replicate, fold, piece desc, attempt desc",
                                 trial.number, condition(epoch), epoch.empty() ? "deleted is not null," : ""),
                     report::kOwnSql);
}

/// Epochs whose checkpoints are still there, as words.
std::string epochs_left(const std::filesystem::path& store, const report::OneTrial& trial) {
  const report::Table left = report::sql(
      store, {trial.study},
      fmt::format("select distinct step from artifacts where trial = {} and role in ('last', 'best', 'epoch') and "
                  "deleted is null order by step",
                  trial.number),
      report::kOwnSql);
  std::vector<std::int64_t> epochs;
  for (const std::vector<Json>& row : left.rows) epochs.push_back(row[0].get<std::int64_t>());
  return epochs.empty() ? "" : fmt::format("{}", fmt::join(epochs, ", "));
}

[[noreturn]] void refuse_weights(const std::filesystem::path& store, const report::OneTrial& trial,
                                 const std::string& message) {
  const std::string left = epochs_left(store, trial), name = fmt::format("{}/{}", trial.study, trial.number);
  throw Error(ErrorKind::not_found, message,
              left.empty()
                  ? "`keep:` in the study says whose stay; `dlrun show " + name + " --yaml` runs the trial again"
                  : fmt::format("still there: epoch {}; --epoch N takes one of them", left));
}

std::string read_artifact(const std::filesystem::path& store, const std::string& sha256) {
  const std::filesystem::path path = storage::checkpoint_file(store, sha256);
  std::string bytes = read_file(path);
  if (Sha256::hex_of(bytes) == sha256) return bytes;
  throw Error(ErrorKind::store, "artifact '" + path.string() + "' is damaged: its content does not match its name");
}

}  // namespace

Checkpoint checkpoint_of(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch) {
  const std::string name = fmt::format("{}/{}", trial.study, trial.number);
  const report::Table found = checkpoints(store, trial, epoch);
  if (found.rows.empty()) {
    if (!checkpoints(store, trial, "best").rows.empty())
      refuse_weights(store, trial, fmt::format("trial {} has no checkpoint of epoch {}", name, epoch));
    throw Error(ErrorKind::not_found, fmt::format("trial {} has no checkpoint", name),
                "trials of kind train leave one when they have run");
  }
  const std::vector<Json>& row = found.rows[0];
  if (!row.at(3).is_null()) refuse_weights(store, trial, fmt::format("the checkpoint of trial {} was given up", name));
  return {row[0].get<std::string>(),
          row[1].get<std::int64_t>(),
          row[2].get<std::string>(),
          {trial::TrialId(trial.number), row[4].get<int>(), row[5].get<int>()}};
}

Weights weights_of(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch) {
  Checkpoint from = checkpoint_of(store, trial, epoch);
  const std::string what = fmt::format("the checkpoint of trial {}/{}", trial.study, trial.number);
  const tensors::SafeTensors file(read_artifact(store, from.sha256), what);
  const std::vector<tensors::TensorView> weights = tensors::weights_of(file);
  return {tensors::write_safetensors(weights, {{"format", "pt"}}), weights.size(), std::move(from)};
}

}  // namespace dlrun::final
