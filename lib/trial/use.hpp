// SPDX-License-Identifier: Apache-2.0
// A trained trial put to use: metrics on other data, predictions for it. Done by the trainer library, asked for by
// `dlrun eval` and `dlrun predict`.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trial/runner.hpp"

namespace dlrun::trial {

/// The examples, and what is wanted of them. `resume` of the order names the checkpoint.
struct UseOptions {
  std::string split;   ///< "train", "val", "test" of the trial's own data; empty: `files`
  Json files;          ///< new data by key, {path: "/data/new.csv"} (dataset/fresh.hpp)
  std::string unseen;  ///< "zero": a category that training never saw is none; empty: an error
  std::string id;      ///< predictions: a column of the new data to begin each row with; empty: its number
  std::vector<std::string> metrics;   ///< beside the trial's own; of a named output NAME.METRIC
  bool predicts = false;              ///< rows are wanted, no metrics
  bool describes = false;             ///< no examples: how they are prepared is wanted
  std::string output_format = "csv";  ///< predictions' format: csv, jsonl, npy, safetensors
  bool wants_logits = false;          ///< for classes the outputs themselves, no probabilities
};

/// Metrics that were measured; for predictions the number of rows.
struct Use {
  std::int64_t examples = 0;
  std::vector<Metric> metrics;              ///< "loss", "accuracy", "NAME.accuracy": without a split
  std::vector<std::string> undefined = {};  ///< metrics for which the examples are of too few classes, or too few
  Runtime runtime;
  Json prepared;  ///< dataset::prepared of the trial's data; null where it was not asked for
};

/// Where predictions go. May throw.
struct PredictionFile {
  std::function<void(std::string_view)> append;
  std::function<void(std::string_view)> begin_with;  ///< over the first bytes; for npy and safetensors, needs a file
};

/// Where dlrun-worker writes them: its answer is on descriptor 1.
inline constexpr int kRowsDescriptor = 3;

Json to_json(const UseOptions& options);
UseOptions use_options(const Json& json);
Json to_json(const Use& use);
/// @throws Error(usage) naming what is missing; so does use_options.
Use use_of(const Json& json);

/// The trainer library's fourth symbol. @return owned by the caller; null where the ABI differs.
/// @throws Error as a runner; dataset::DataError for what is wrong with the new data.
inline constexpr const char* kUseSymbol = "dlrun_use_trial";
using UseTrial = Use* (*)(int abi, const WorkSetup& setup, const PieceOrder& order, const UseOptions& options,
                          const PredictionFile& file);

}  // namespace dlrun::trial
