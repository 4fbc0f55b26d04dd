// SPDX-License-Identifier: Apache-2.0
// Keys of a `data:` section about its batches: `augment`, `sampler`, `drop_last`, `prefetch`, `partition`. The same for
// every format; lib/data makes the batches, here the keys are known and checked against the schema.
#pragma once
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/options.hpp"

namespace dlrun::dataset {

options::Table batch_options();

/// Names the steps that have none: by op, a second one "flip2".
void name_steps(Json& section, Faults& faults);

/// The section without the keys for batches alone: those of the data set itself.
Json without_batches(Json section);

/// Settings of the section that decide the bits of batches, for fingerprints: augment, sampler, drop_last, and a
/// partition if there is one.
Json batch_settings(const Json& section);

/// @param section normalised.  @throws DataError where a step, a sampler or a partition does not fit the data.
void check_batches(const Json& section, const Schema& schema);

/// Batches of an epoch, or of a rank, with so many examples. A last batch of a single example is left out, unless it is
/// the only one.
std::int64_t batches_of(std::int64_t examples, std::int64_t batch_size, bool drops_rest);

/// Examples that a training sees in an epoch: those of its split, or as many as the sampler draws. For `oversample` the
/// data is read once (majority_shares). REQUIRES: the section fits the schema, or its sampler is no object.
/// @param seed  that the split is drawn by  @throws DataError as load().
std::int64_t examples_of_epoch(const Json& section, const Schema& schema, std::uint64_t seed);

/// Whether check_values() has something to look at.
bool needs_values(const Json& section);
/// @throws DataError where colour steps work on arrays whose numbers do not lie from 0 to 1.
void check_values(const Json& section, const Dataset& dataset);

}  // namespace dlrun::dataset
