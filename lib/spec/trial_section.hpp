// SPDX-License-Identifier: Apache-2.0
// Checks of a trial beyond the table of keys: data and model, metrics, coordinates of functions, argument templates.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "dataset/dataset.hpp"
#include "recipe/outputs.hpp"
#include "spec/reading.hpp"
#include "tensors/weights.hpp"

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

/// Settings of parameters fit the data: every fold has rows and classes enough, a crop is not larger than an image.
void check_data_places(const Json& trial, const Json& space, std::uint64_t seed, Faults& faults);

/// Named outputs of the model learn targets of the data, each of which is learned.
void check_outputs(const Json& trial, const dataset::Schema& schema, Faults& faults);

/// Loss and metrics by the data, or checked against it; of every output its own.
void fill_by_data(Json& trial, const dataset::Schema& schema, Faults& faults);

/// Examples of the validation split, in every fold, define the metrics; a warning where those of the test split do not.
/// REQUIRES: fill_by_data() and check_members() have been.
void check_measures(const Json& trial, const Json& space, const dataset::Schema& schema, std::uint64_t seed,
                    Faults& faults);

/// Numbers as targets are such as the loss is for. Reads the data where the loss is not for all numbers.
void check_targets(const Json& trial, const dataset::Schema& schema, std::uint64_t seed, Faults& faults);

/// Parts of a sum of losses weigh alike where a step is several batches.
/// REQUIRES: check_parallel() has been.
void check_weights_of_parts(const Json& trial, const Json& space, Faults& faults);

/// Shapes of the model at its base values, and at the ends of every parameter that sets a place in it.
void check_model(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// Parameters of the model that pbt searches leave every tensor its shape.
void check_shapes_stay(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// Groups name tensors of the model, patterns compile, and no setting is without effect.
void check_optimizer(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// Several ranks are described without contradiction; `parallel` and `cluster` are gone where nothing was written.
/// @param examples  of an epoch
void check_parallel(Json& trial, const Json& space, std::int64_t examples, Faults& faults);

/// Parts of `parallel:` work together.
void check_gang_parts(const Json& trial, const Json& space, Faults& faults);
/// Each of them changes something in some trial. For a study alone: a variant of an ablation lacks the part on which
/// others of the baseline depend.
void check_idle_parts(const Json& trial, const Json& space, Faults& faults);

/// Examples are dealt out to ranks that there are, by a method that can stand it, before the trial ends.
/// @param examples  of the training split
void check_partition(const Json& trial, const Json& space, std::int64_t examples, Faults& faults);
/// There is more than one rank; as above, for a study alone.
void check_idle_partition(const Json& trial, const Json& space, Faults& faults);

/// Every server that was asked for has a part of the model, as far as that is known before trials are drawn. For a
/// study alone, likewise.
void check_servers(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults);

/// The codec of `parallel:` suits the method, the optimizer and the clipping; and changes something, as above.
void check_codec(const Json& trial, const Json& space, Faults& faults);
void check_idle_codec(const Json& trial, const Json& space, Faults& faults);

/// Files of `placement` are found, read and fit the model; there are several devices, and not without a placement.
/// @param is_ablation  a variant of it may lack the placement, or layers that the placement's file names
void check_placement(Json& study, const std::vector<std::filesystem::path>& folders, const dataset::Schema& schema,
                     bool is_ablation, Faults& faults);

/// The learning rate is scaled once, by micro-batches that there are; `lr_scaling` is gone where nothing was written.
/// REQUIRES: check_parallel() has been.
void check_lr_scaling(Json& trial, const Json& space, Faults& faults);

/// Ranks as processes compute on CPUs, and say something over a network only if there are several hosts.
void check_gang_device(const Json& study, Faults& faults);
/// The final training of a gang neither resumes nor carries an optimizer's state.
void check_final_of_gang(const Json& study, Faults& faults);

/// Parts fit into the trial, drops and warm-up happen, what is watched is measured, what is cycled is there, what is
/// averaged and logged comes about.
/// @param examples  of an epoch
void check_schedule(const Json& trial, const Json& space, const std::vector<std::string>& metrics,
                    std::int64_t examples, Faults& faults);

/// The schedule's warm-up and what comes behind it fit together, and swa.lr leaves it what it says; warnings alone.
/// @param epochs  that the schedule spans
void check_rates(const Json& trial, const Json& space, std::int64_t epochs, std::optional<std::int64_t> steps_per_epoch,
                 Faults& faults);

/// The file of weights a model begins with: found as data is, its content's hash filled in, compared with the model at
/// its base values; the key is gone where it says nothing.
void check_init(Json& trial, const std::filesystem::path& folder, const std::vector<std::filesystem::path>& elsewhere,
                const dataset::Schema& schema, Faults& faults);

/// Where files of weights lie.
struct WeightPlaces {
  std::vector<std::filesystem::path> folders;
  /// Finds a checkpoint by its hash; none: no store is at hand.
  std::function<std::filesystem::path(const std::string& sha256)> checkpoint;
};

/// Donors of weights: files are found, their content's hashes filled in, and compared with the model at its base
/// values. What the policy leaves open is filled in, and what it does not use is refused; the key is gone where nothing
/// was written.
/// @param metric  of the objective
void check_warm_start(Json& trial, const WeightPlaces& places, const dataset::Schema& schema, const std::string& metric,
                      Faults& faults);

/// The donor of a program: files as above; the program alone knows what it holds.
void check_program_start(Json& trial, const WeightPlaces& places, Faults& faults);

/// Parameters of a program or function that have one value are texts, numbers or truth values, and none is in the space
/// too; `params` is gone where nothing was written.
void check_params(Json& trial, const Json& space, Faults& faults);

/// `horizon` is no shorter than the trial; gone where it says nothing.
void check_horizon(Json& trial, Faults& faults);

/// A study that follows a search is one of its own, whose name is a file's: that of the search and a suffix.
/// @param what  "the race's"
void check_name_after(const Json& study, const std::string& suffix, const std::string& what, Faults& faults);

/// `winner` of a study: there is something to race, and one best trial; gone where nothing was written, and of an
/// ablation, which chooses none.
void check_winner(Json& study, bool is_ablation, Faults& faults);

/// No trials are compared by losses in different units: an error where they race, else a warning.
/// REQUIRES: check_objectives() and check_winner() have been. For a study alone: an ablation has E240.
void check_units(const Json& study, Faults& faults);

/// `final` of a study: policies are known, and nothing stands there that they do not use; gone where none was
/// written.
/// @param written  the section in the file: {} has all defaults, null stands for none
void check_final(Json& study, const document::Node* written, Faults& faults);

/// The final training's start fits it, as far as that is known before the search: tensors, optimizer, epochs.
/// @param later  data of the final training
void check_final_start(const Json& study, const dataset::Schema& schema, const dataset::Schema& later, Faults& faults);

/// A final training that goes on with a trial of the search as if it had never stopped has that trial's settings.
void check_final_resume(const Json& study, Faults& faults);

/// Finds a file that a spec names in one of the folders; reports it if there is none.
std::optional<std::filesystem::path> find_named_file(const std::filesystem::path& written,
                                                     const std::vector<std::filesystem::path>& folders,
                                                     const std::string& at, Faults& faults);
/// Tensors that a file of weights for the model needs.
std::vector<tensors::Wanted> tensors_of(const model::Graph& graph);

/// Coordinates of a function: enough, and numbers.
void check_function(const Json& trial, const Json& space, Faults& faults);

/// Templates name parameters that exist; shell has one element; regular expressions compile.
void check_command(Json& trial, const Json& space, const std::filesystem::path& folder, Faults& faults);

/// Keys that only workers heed are not written, and the search needs no weights. One lane and no slack,
/// if nobody says more: people wait for no commit.
void check_asked(Json& study, Faults& faults);

/// GPUs and hosts of a program (`resources: gpus, nodes`): of a kind of trial that can have several, and an executor
/// that can give them.
/// @param executor  takes the place of the study's; empty: none does
void check_group(const Json& study, const std::string& executor, Faults& faults);

/// Does its program run where our signals do not reach: below a container's daemon, or on several machines?
bool runs_elsewhere(const Json& study);

/// The working directory is there and becomes an absolute path, and no variable of the environment is ours.
/// @param folder  where a relative path begins    @return the working directory
std::filesystem::path check_surroundings(Json& trial, const std::filesystem::path& folder, Faults& faults);

/// Can the program be run on this machine? As execvp() searches it.
bool is_found(const std::string& program, const std::filesystem::path& folder, const Json& env);

/// The function's file is there and names the function; isolation is chosen by the device.
void check_python(Json& study, const std::filesystem::path& folder, Faults& faults);

/// `resources: parked` is refused where no program waits, or none can be stopped.
void check_parked(const Json& study, Faults& faults);

/// Names of the metrics that each trial of a study reports; empty: any.
std::vector<std::string> metrics_of(const Json& trial, const Json& space, const std::optional<dataset::Schema>& schema);

using recipe::interface_of;

}  // namespace dlrun::spec
