// SPDX-License-Identifier: Apache-2.0
// Small trainings in memory, cut after every step: what goes on from a checkpoint must end in the bytes of what never
// stopped.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <ATen/Parallel.h>

#include "dataset/batch_section.hpp"
#include "recipe/loss.hpp"
#include "support/catch.hpp"
#include "train/training.hpp"
#include "train/warm_starter.hpp"
#include "util/random.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

/// One training of the walk.
struct Walk {
  std::string name;
  std::string
      input;   ///< row | series | image | volume | text | pair, dozen (rows of two, of twelve classes) | numbers (a row
               ///< with two numbers as targets) | both (a row with a class, `kind`, and two numbers, `size`)
  Json trial;  ///< all but `data`
  Json batches = Json::object();      ///< of `data`: augment, sampler, …
  std::filesystem::path artifacts{};  ///< where the donors of `warm_start` lie
};

inline constexpr std::int64_t kRows = 26, kTrain = 15, kVal = 6;  ///< 15 in batches of 4: the last has 3

inline dataset::Input input_of(const std::string& kind) {
  if (kind == "series") return {"x", {4, 6}, 0};
  if (kind == "image") return {"x", {3, 6, 6}, 0};
  if (kind == "volume") return {"x", {2, 3, 4, 4}, 0};
  if (kind == "text") return {"x", {6}, 9};
  return {"x", {6}, 0};
}

/// Numbers of no meaning; in a text the later examples end with padding.
inline dataset::Array inputs_of(const dataset::Input& input) {
  const std::int64_t width =
      std::accumulate(input.shape.begin(), input.shape.end(), std::int64_t(1), std::multiplies<>());
  RandomStream stream(11, {"walk"});
  if (!input.is_index()) {
    std::vector<float> numbers(std::size_t(kRows * width));
    for (float& number : numbers) number = float(stream.uniform());
    return dataset::Array::of(std::move(numbers), width);
  }
  std::vector<std::int64_t> tokens(std::size_t(kRows * width));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::int64_t row = std::int64_t(i) / width, place = std::int64_t(i) % width;
    tokens[i] = place < 2 + row % 5 ? 1 + std::int64_t(stream.below(std::uint64_t(input.vocabulary - 1))) : 0;
  }
  return dataset::Array::of(std::move(tokens), width);
}

/// Of three classes or two each as often as it comes, of more one after the other.
inline std::int64_t label_of(std::int64_t row, std::int64_t classes) {
  if (classes > 3) return row % classes;
  return (row % 5 == 0 ? 2 : row % 3 == 0 ? 1 : 0) % classes;
}

/// @param classes  0: two numbers each
inline dataset::Array targets_of(std::int64_t classes) {
  if (classes > 0) {
    std::vector<std::int64_t> labels;
    for (std::int64_t row = 0; row < kRows; ++row) labels.push_back(label_of(row, classes));
    return dataset::Array::of(std::move(labels));
  }
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < 2 * kRows; ++i) numbers.push_back(float(i % 7) / 7);
  return dataset::Array::of(std::move(numbers), 2);
}

inline dataset::Dataset dataset_of(const std::string& kind) {
  dataset::Dataset set;
  const bool are_numbers = kind == "numbers";
  set.schema.inputs = {input_of(kind)};
  set.schema.classes = are_numbers ? 0 : kind == "pair" ? 2 : kind == "dozen" ? 12 : 3;
  set.schema.targets = are_numbers ? 2 : 1;
  set.schema.sha256 = kind;
  set.inputs = {inputs_of(set.schema.inputs[0])};
  set.targets = targets_of(set.schema.classes);
  if (kind == "both") {
    set.schema.several = {{.name = "kind", .classes = 3}, {.name = "size", .width = 2}};
    set.several = {set.targets, targets_of(0)};
  }
  for (std::int64_t row = 0; row < kRows; ++row) {
    (row < kTrain ? set.train : row < kTrain + kVal ? set.val : set.test).push_back(row);
  }
  set.schema.train = kTrain;
  set.schema.val = kVal;
  set.schema.test = kRows - kTrain - kVal;
  return set;
}

/// The walk's `data`, with all its defaults.
inline Json section_of(const Walk& walk) {
  Json section = {{"op", "csv"}, {"path", "in-memory"}, {"target", -1}};
  section.update(walk.batches);
  return dataset::normalised(section);
}

/// Settings, data and model of a walk.
struct Ingredients {
  std::shared_ptr<const data::Data> data;
  Config config;
  model::Graph graph;
};

inline Ingredients ingredients_of(const Walk& walk) {
  Json trial = walk.trial;
  trial["data"] = section_of(walk);
  auto data = std::make_shared<const data::Data>(dataset_of(walk.input), trial["data"]["augment"]);
  const dataset::Schema& schema = data->schema();
  Config config = read_config(trial, schema);
  model::Interface interface {
    {}, schema.classes, schema.targets, {}
  };
  interface.inputs["x"] = {schema.inputs[0].shape, schema.inputs[0].vocabulary};
  interface.output_widths = recipe::output_widths(trial, schema.classes, schema.targets);
  for (const OutputConfig& output : config.outputs) {
    if (output.name.empty()) break;
    const dataset::Schema seen = dataset::seen_by(schema, output.target);
    interface.outputs[output.name] = {seen.classes, seen.targets, {}};
  }
  model::Graph graph = model::build(config.model, interface);
  return {std::move(data), std::move(config), std::move(graph)};
}

/// A training before its first weights, as one that is about to restore a checkpoint.
inline std::unique_ptr<Training> make(const Walk& walk, std::uint64_t seed = 7) {
  at::set_num_threads(1);
  const Ingredients of = ingredients_of(walk);
  return std::make_unique<Training>(of.config, of.graph, of.data, nn::Streams{seed, 0},
                                    Objective{"val.loss", false, true});
}

inline std::unique_ptr<Training> begin(const Walk& walk, std::uint64_t seed = 7) {
  std::unique_ptr<Training> training = make(walk, seed);
  training->load_initial();
  if (training->config().warm_start) warm_start(*training, walk.artifacts, [] {});
  return training;
}

/// To the end; `between` is called after every step and every epoch.
/// @return the checkpoint of the end
inline std::string finish(
    Training& training, const std::function<void()>& between = [] {}) {
  while (training.state().epoch < training.config().epochs && !training.progress().has_stopped()) {
    while (training.has_batch()) {
      training.step();
      between();
    }
    training.finish_epoch([] {});
    between();
  }
  return training.encode();
}

/// Every checkpoint, from before the first step on, leads to the same end.
inline void check_every_cut(const Walk& walk) {
  INFO(walk.name);
  const std::unique_ptr<Training> whole = begin(walk);
  std::vector<std::string> checkpoints{whole->encode()};
  const std::string end = finish(*whole, [&] { checkpoints.push_back(whole->encode()); });
  for (std::size_t cut = 0; cut < checkpoints.size(); ++cut) {
    INFO("cut " << cut << " of " << checkpoints.size());
    const std::unique_ptr<Training> again = make(walk);
    again->restore(SafeTensors(checkpoints[cut], "a checkpoint"), "a checkpoint");
    REQUIRE(again->encode() == checkpoints[cut]);
    REQUIRE(finish(*again) == end);
  }
}

/// Another training of the same kind between any two steps makes no difference.
inline void check_beside_another(const Walk& walk) {
  INFO(walk.name);
  const std::string alone = finish(*begin(walk));
  const std::unique_ptr<Training> one = begin(walk), other = begin(walk, 8);
  const std::string beside = finish(*one, [&] {
    if (other->state().epoch == other->config().epochs || other->progress().has_stopped()) return;
    other->has_batch() ? other->step() : static_cast<void>(other->finish_epoch([] {}));
  });
  CHECK(beside == alone);
  CHECK(other->encode() != alone);
}

}  // namespace dlrun::train
