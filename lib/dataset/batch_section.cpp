// SPDX-License-Identifier: Apache-2.0
#include "dataset/batch_section.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "dataset/majority.hpp"
#include "dataset/partition_section.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr const char* kBatchKeys[] = {"augment", "sampler", "drop_last", "prefetch", "cache", "partition"};

std::string said(const std::vector<std::int64_t>& shape) { return to_text(Json(shape)); }

bool is_mix(const std::string& op) { return op == "mixup" || op == "cutmix"; }

bool needs_image(const std::string& op) { return op != "noise" && op != "normalise" && op != "mixup"; }

bool is_colour(const std::string& op) { return op == "colour" || op == "grayscale"; }

/// Arrays hold bytes or numbers of any range; images of files are bytes.
bool is_of_arrays(const Json& section) { return section.contains("indices"); }

/// One step against what it works on.
class StepCheck {
 public:
  StepCheck(const Json& section, const Schema& schema, std::size_t index)
      : section_(section), schema_(schema), step_(section["augment"][index]), op_(step_["op"]), index_(index) {}

  void check() const {
    if (schema_.inputs.size() != 1 || schema_.inputs[0].is_index())
      refuse("", fmt::format("'{}' needs data with one input of numbers", op_), "remove it");
    const std::vector<std::int64_t>& shape = schema_.input();
    if (needs_image(op_) && shape.size() != 3)
      refuse("", fmt::format("'{}' needs images, but an input is {}", op_, said(shape)), "remove it");
    check_size(shape);
    if (is_colour(op_)) check_colour(shape);
    if (op_ == "normalise") check_normalise(shape);
    if (is_mix(op_)) check_mix();
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& message, const std::string& hint) const {
    throw DataError(fmt::format("augment.{}{}{}", index_, key.empty() ? "" : ".", key), message, hint);
  }

  void check_size(const std::vector<std::int64_t>& shape) const {
    for (const char* key : {"pad", "size"}) {
      if (!step_.contains(key)) continue;
      const std::int64_t least = std::min(shape[1], shape[2]);
      if (step_[key] > least)
        refuse(key, fmt::format("'{}' is {}, but an image is {}", key, to_text(step_[key]), said(shape)),
               fmt::format("at most {}", least));
    }
  }

  void check_colour(const std::vector<std::int64_t>& shape) const {
    const bool is_grey_step = op_ == "grayscale" || step_["saturation"] > 0 || step_["hue"] > 0;
    if (is_grey_step && shape[0] != 3)
      refuse("", fmt::format("'{}' needs three channels, but an image is {}", op_, said(shape)),
             op_ == "colour" ? "leave out saturation and hue" : "remove it");
    if (op_ == "colour" &&
        std::all_of(step_.begin(), step_.end(), [](const Json& v) { return !v.is_number() || v == 0; }))
      refuse("", "'colour' changes nothing: all of its settings are 0", "e.g. brightness: 0.2");
    for (std::size_t i = 0; i < index_; ++i) {
      if (section_["augment"][i]["op"] == "normalise")
        refuse("", fmt::format("'{}' works on numbers from 0 to 1 and stands behind 'normalise'", op_),
               "put it before");
    }
    for (const char* key : {"standardise", "mean", "std", "scale"}) {
      const Json value = section_.value(key, Json());
      const bool is_seen_later = is_of_arrays(section_) && key == std::string("scale");  // check_values()
      if (is_seen_later || value.is_null() || value == false || value == "auto" || value == 255.0) continue;
      refuse("", fmt::format("'{}' works on numbers from 0 to 1, which '{}' changes", op_, key),
             fmt::format("remove {} and put {{op: normalise}} behind", key));
    }
  }

  void check_normalise(const std::vector<std::int64_t>& shape) const {
    const auto channels = std::size_t(shape.at(0));
    for (const char* key : {"mean", "std"}) {
      const std::size_t count = step_[key].size();
      if (count != 1 && count != channels)
        refuse(key, fmt::format("'{}' has {} numbers, but an input {} channels", key, count, channels),
               fmt::format("write 1 or {}", channels));
    }
  }

  void check_mix() const {
    if (!schema_.target_shape.empty())
      refuse("", fmt::format("'{}' needs one target for each example, not one for each position", op_), "remove it");
    if (schema_.several.size() > 1) refuse("", fmt::format("'{}' mixes one target, not several", op_), "remove it");
    for (std::size_t i = index_ + 1; i < section_["augment"].size(); ++i) {
      if (!is_mix(section_["augment"][i]["op"]))
        refuse("", fmt::format("'{}' must be the last step", op_), "only mixup and cutmix may stand behind");
    }
  }

  const Json& section_;
  const Schema& schema_;
  const Json& step_;
  std::string op_;
  std::size_t index_;
};

void check_sampler(const Json& sampler, const Schema& schema) {
  const std::string op = sampler["op"];
  if (op == "shuffle" || op == "sequential") return;
  if (schema.classes == 0 || !schema.target_shape.empty())
    throw DataError("sampler", fmt::format("'{}' needs data with one class for each example", op),
                    "write sampler: shuffle");
  if (op != "weighted") return;
  const Json& weights = sampler["weights"];
  if (std::int64_t(weights.size()) != schema.classes)
    throw DataError("sampler.weights",
                    fmt::format("there are {} weights, but {} classes", weights.size(), schema.classes),
                    "write one for each class");
  if (std::all_of(weights.begin(), weights.end(), [](const Json& weight) { return weight == 0; }))
    throw DataError("sampler.weights", "all weights are 0", "write one above 0");
}

}  // namespace

namespace {

/// One number stands for a list of one.
void list_numbers(Json& map, const char* key) {
  if (map.is_object() && map.contains(key) && map[key].is_number()) map[key] = Json::array({map[key]});
}

}  // namespace

void name_steps(Json& section, Faults& faults) {
  list_numbers(section["sampler"], "weights");
  for (Json& step : section["augment"]) {
    list_numbers(step, "mean");
    if (step["op"] == "normalise") list_numbers(step, "std");
  }
  std::map<std::string, int> used;
  std::set<std::string> names;
  for (std::size_t i = 0; i < section["augment"].size(); ++i) {
    Json& step = section["augment"][i];
    const std::string op = step["op"];
    const int count = ++used[op];
    if (step["name"].is_null()) step["name"] = count == 1 ? op : op + std::to_string(count);
    if (names.insert(step["name"].get<std::string>()).second) continue;
    faults.add(
        {fmt::format("augment.{}.name", i), fmt::format("two steps are named {}", quoted(step["name"])), "rename one"});
  }
}

Json without_batches(Json section) {
  for (const char* key : kBatchKeys) section.erase(key);
  return section;
}

Json batch_settings(const Json& section) {
  if (!section.is_object()) return nullptr;
  Json settings = {section.value("augment", Json::array()), section.value("sampler", Json()),
                   section.value("drop_last", Json())};
  if (section.contains("partition")) settings.push_back(section["partition"]);
  return settings;
}

namespace {

/// Index of the first step that works on numbers from 0 to 1; none: past the last.
std::size_t first_colour(const Json& section) {
  std::size_t index = 0;
  for (const Json& step : section["augment"]) {
    if (is_colour(step["op"])) break;
    ++index;
  }
  return index;
}

/// An example whose numbers do not lie from 0 to 1, but for what resampling adds.
std::optional<std::int64_t> example_outside(const Array& array) {
  constexpr float kSlack = 1e-3F;
  for (std::int64_t example = 0; example < array.examples; ++example) {
    for (std::int64_t i = 0; i < array.width; ++i) {
      const float number = array.number(example, i);
      if (number < -kSlack || number > 1 + kSlack) return example;
    }
  }
  return std::nullopt;
}

}  // namespace

std::int64_t batches_of(std::int64_t examples, std::int64_t batch_size, bool drops_rest) {
  const std::int64_t rest = examples % batch_size;
  const bool drops = drops_rest && examples > batch_size;
  const bool uses_rest = !drops && (rest > 1 || (rest == 1 && examples == 1));
  return examples / batch_size + (uses_rest ? 1 : 0);
}

std::int64_t examples_of_epoch(const Json& section, const Schema& schema, std::uint64_t seed) {
  const Json sampler = section.value("sampler", Json());
  if (!sampler.is_object()) return schema.train;
  const Json draws = sampler.value("draws", Json());
  if (draws.is_number_integer()) return draws.get<std::int64_t>();
  if (sampler.value("op", Json()) != "oversample") return schema.train;
  const std::map<std::string, double> shares = majority_shares(section, schema, seed);
  const auto largest = shares.find("train");
  return largest == shares.end() ? schema.train : std::llround(largest->second * double(schema.train)) * schema.classes;
}

bool needs_values(const Json& section) {
  return is_of_arrays(section) && first_colour(section) < section["augment"].size();
}

void check_values(const Json& section, const Dataset& dataset) {
  if (!needs_values(section)) return;
  const std::optional<std::int64_t> example = example_outside(dataset.inputs[0]);
  if (!example) return;
  const std::size_t index = first_colour(section);
  throw DataError(fmt::format("augment.{}", index),
                  fmt::format("{} works on numbers from 0 to 1, but example {} has others",
                              quoted(section["augment"][index]["op"]), *example),
                  dataset.inputs[0].element == Element::u8 ? "write scale: 255" : "divide them by the greatest: scale");
}

void check_batches(const Json& section, const Schema& schema) {
  for (std::size_t i = 0; i < section["augment"].size(); ++i) StepCheck(section, schema, i).check();
  check_sampler(section["sampler"], schema);
  check_partition(section, schema);
}

}  // namespace dlrun::dataset
