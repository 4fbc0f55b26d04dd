// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a study that could give a training its first weights, the best first.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::final {

/// Choice of one checkpoint for each trial, and the metric that ranks them.
struct Reading {
  std::string metric;
  bool maximize = true;
  std::string role = "last";          ///< last | best
  std::optional<std::int64_t> epoch;  ///< number of an epoch, in place of a role
};

/// A trial that gives nothing, and why.
struct Refused {
  std::int64_t trial = 0;
  std::optional<double> value;
  std::string reason;
};

struct RankedDonors {
  std::vector<warmstart::Donor> donors;  ///< the best first; ties by number
  std::vector<Refused> refused;          ///< by number
};

/// Donors of a study, one for each trial: of its first replicate all folds, ranked by their mean. A value that was not
/// measured makes no donor, nor does a trial that may not be called the best: failed, cancelled or infeasible.
RankedDonors rank_donors(const std::filesystem::path& store, const std::string& study, const Reading& reading);

/// Keeps the first `count` donors whose tensors are the first one's by name and shape; the others are refused.
void keep_alike(const std::filesystem::path& store, RankedDonors& ranked, std::size_t count);

/// Trials that were measured first, the best first.
std::vector<Refused> best_first(std::vector<Refused> refused, bool maximize);

/// <store>/artifacts/ab/abcd…, of weights with .safetensors behind it.
std::filesystem::path file_of(const std::filesystem::path& store, const warmstart::Donor& donor);

/// An entry of `donors:`.
Json to_json(const warmstart::Donor& donor);

}  // namespace dlrun::final
