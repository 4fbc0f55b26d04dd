// SPDX-License-Identifier: Apache-2.0
// A training's whole state as one safetensors file: weights `model.NAME`, optimiser state `opt.NAME.SLOT`, and a JSON
// text in the metadata ("state") with what is no tensor. Random streams have no state: they are functions of the
// counters in it. The content does not depend on time, host, attempt or where pieces were cut.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/parameters.hpp"
#include "train/average.hpp"
#include "train/grad_scaler.hpp"
#include "train/heads.hpp"
#include "train/optimizer.hpp"
#include "train/safetensors.hpp"
#include "trial/trial.hpp"

namespace dlrun::train {

/// Owner of a checkpoint; all of it must agree before anything is restored.
struct Identity {
  std::uint64_t seed = 0;
  int replicate = 0;
  std::string optimizer;         ///< op
  std::string fingerprint;       ///< train::fingerprint; empty, where one is wanted: any
  bool has_any_streams = false;  ///< wanted: of any seed and replicate
};

/// The best epoch so far by the objective.
struct Best {
  std::int64_t epoch = 0;
  double value = 0;
  std::string sha256;  ///< hash of its artifact; empty until it is published, and if it is this very checkpoint
  std::int64_t bytes = 0;
};

/// How far a training is.
struct State {
  std::int64_t epoch = 0;               ///< epochs done
  std::int64_t batch = 0;               ///< batches done of the epoch under way
  std::int64_t step = 0;                ///< optimiser steps done, with those left out
  std::int64_t skipped = 0;             ///< steps left out: float16 gradients that were not finite
  std::int64_t carried = 0;             ///< steps that the optimiser's state took before the first one counted here
  std::optional<LossScale> loss_scale;  ///< with float16
  SplitSums sums;                       ///< sums of the epoch under way
  std::vector<trial::Report> reports;   ///< one for each epoch done
  std::optional<Best> best;
  std::optional<trial::WeightStart> start;  ///< where it began with the weights of others
  Json gang;                                ///< counters of its ranks; null: there are none
  Json gains;                               ///< state of its learning rate's; null: they are not measured
};

/// Flat numbers under a name.
struct NamedNumbers {
  std::string name;
  std::span<float> numbers;
};

/// Everything that a checkpoint keeps beside its state.
struct Kept {
  const nn::Parameters& parameters;
  const Optimizer& optimizer;
  const Average& average;               ///< perhaps none; stored as `average.NAME`
  std::int64_t averaged_from = 0;       ///< epochs done before there is an average
  std::int64_t batches = 0;             ///< batches of an epoch
  std::vector<NamedNumbers> gang = {};  ///< tensors of its ranks; stored as `gang.NAME`
};

/// The owner that a file names. @throws Error(store) naming `what`, if it is no checkpoint.
Identity read_identity(const SafeTensors& file, const std::string& what);

/// Whether it holds an average of the weights beside them.
bool has_average(const SafeTensors& file);

std::string encode_checkpoint(const State& state, const Identity& identity, const Kept& kept);

/// Compares identity, names, shapes and types first; only then copies into what is kept.
/// @param fresh  sums of an epoch that has not begun, for those of the epoch under way
/// @throws Error(store) naming `what` and the first difference; nothing is changed then.
State decode_checkpoint(const SafeTensors& file, const std::string& what, const Identity& identity, const Kept& kept,
                        const SplitSums& fresh);

}  // namespace dlrun::train
