// SPDX-License-Identifier: Apache-2.0
// What the table of keys cannot say of a trial: data and model, metrics, coordinates of functions, argument templates.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "dataset/dataset.hpp"
#include "model/graph.hpp"
#include "spec/faults.hpp"

namespace dlrun::spec {

/// Looks the data up, checks it and fills in what follows from it: absolute path, loss and metrics.
/// `folder`: where a relative path begins. Nothing is returned where the data is not usable (reported).
std::optional<dataset::Schema> check_data(Json& trial, const std::filesystem::path& folder,
                                          const std::vector<std::filesystem::path>& elsewhere, std::uint64_t seed,
                                          Faults& faults);

/// `folds` of the trial becomes the data's split, and what it would clash with is refused.
void take_folds(Json& trial, const Json& space, Faults& faults);

/// Every fold has rows and classes enough, replicates differ; members that are one are left out of the normal form.
void check_members(Json& trial, const Json& space, std::uint64_t seed, Faults& faults);

/// What parameters set in the data fits it: every fold has rows and classes enough, a crop is not larger than an image.
void check_data_places(const Json& trial, const Json& space, std::uint64_t seed, Faults& faults);

/// Named outputs of the model learn targets of the data, each of which is learned.
void check_outputs(const Json& trial, const dataset::Schema& schema, Faults& faults);

/// Loss and metrics by the data, or checked against it; of every output its own.
void fill_by_data(Json& trial, const dataset::Schema& schema, Faults& faults);

/// Shapes of the model at its base values, and at the ends of every parameter that sets a place in it.
void check_model(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// Parameters of the model that pbt searches leave every tensor its shape.
void check_shapes_stay(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// Groups name tensors of the model, patterns compile, and no setting is without effect.
void check_optimizer(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// Parts fit into the trial, drops and warm-up happen, what is watched is measured, what is cycled is there, what is
/// averaged and logged comes about.
/// @param examples  of the training split
void check_schedule(const Json& trial, const Json& space, const std::vector<std::string>& metrics,
                    std::int64_t examples, Faults& faults);

/// The file of weights a model begins with: found as data is, its content's hash filled in, compared with the model at
/// its base values; the key is gone where it says nothing.
void check_init(Json& trial, const std::filesystem::path& folder, const std::vector<std::filesystem::path>& elsewhere,
                const dataset::Schema& schema, Faults& faults);

/// Where a parameter chooses the kind of a section (optimizer.op), the keys of every kind are filled in.
void fill_kinds(Json& trial, const Json& space);

/// Coordinates of a function: enough, and numbers.
void check_function(const Json& trial, const Json& space, Faults& faults);

/// Templates name parameters that exist; shell has one element; regular expressions compile.
void check_command(Json& trial, const Json& space, const std::filesystem::path& folder, Faults& faults);

/// Names of the metrics a trial reports; empty: any.
std::vector<std::string> metrics_of(const Json& trial, const std::optional<dataset::Schema>& schema);

/// The part of the data, and of the loss, a model has to know.
model::Interface interface_of(const dataset::Schema& schema, const Json& trial);

}  // namespace dlrun::spec
