// SPDX-License-Identifier: Apache-2.0
// op: npy, npz, safetensors. Arrays with the examples along their first size: one or several inputs, and the targets.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "dataset/arrays/archive.hpp"
#include "dataset/arrays/measure.hpp"
#include "dataset/arrays/npy.hpp"
#include "dataset/formats.hpp"
#include "dataset/locate.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::int64_t kMostClasses = 1 << 20;

/// An input's name in the model, and where it is: a file or an array of the archive.
struct Named {
  std::string name;
  std::string where;
  std::string key;  ///< place in the section
};

/// `inputs: a` is short for `inputs: {x: a}`.
std::vector<Named> named(const Json& data, const char* key) {
  if (data[key].is_null()) return {};
  if (data[key].is_string()) return {{"x", data[key].get<std::string>(), key}};
  std::vector<Named> result;
  for (const auto& [name, where] : data[key].items())
    result.push_back({name, where.get<std::string>(), fmt::format("{}.{}", key, name)});
  if (result.empty()) throw DataError(key, fmt::format("'{}' is an empty map", key), "inputs: {x: …}");
  for (const Named& input : result) {
    if (input.name.find_first_of("./~") != std::string::npos)
      throw DataError(key, fmt::format("an input cannot be named {}", quoted(Json(input.name))), "letters and digits");
  }
  return result;
}

/// What a section names, as tensors.
struct Parts {
  std::vector<Tensor> inputs;
  Tensor targets;
};
using Get = std::function<RawTensor(const Named&)>;

Parts read_parts(const Json& data, const std::string& prefix, const Get& get) {
  Parts parts;
  for (const Named& input : named(data, (prefix + "inputs").c_str()))
    parts.inputs.push_back(to_tensor(get(input), input.key));
  const std::string key = prefix + "targets";
  parts.targets = to_tensor(get({"targets", data[key].get<std::string>(), key}), key);
  for (const Tensor& input : parts.inputs) {
    if (input.shape[0] == parts.targets.shape[0]) continue;
    throw DataError(prefix + "inputs",
                    fmt::format("{} has {} examples, but {} has {}", input.name, input.shape[0], parts.targets.name,
                                parts.targets.shape[0]),
                    "the first size of all arrays is the number of examples");
  }
  return parts;
}

void append(Tensor& train, const Tensor& test, const std::string& key) {
  const bool is_alike =
      train.array.element == test.array.element &&
      std::equal(train.shape.begin() + 1, train.shape.end(), test.shape.begin() + 1, test.shape.end());
  if (!is_alike)
    throw DataError(key, fmt::format("{} is of another type or shape than {}", test.name, train.name),
                    "only the number of examples may differ");
  train.array = joined(train.array, test.array);
}

bool has_test(const Json& data) {
  const bool has_inputs = !data["test_inputs"].is_null(), has_targets = !data["test_targets"].is_null();
  if (has_inputs == has_targets) return has_inputs;
  throw DataError(has_inputs ? "test_inputs" : "test_targets",
                  "'test_inputs' and 'test_targets' are given together or not at all");
}

std::vector<std::int64_t> behind_first(const std::vector<std::int64_t>& shape) {
  return {shape.begin() + 1, shape.end()};
}

/// Input names of an option that is a list or, for `standardise`, true for all.
std::set<std::string> names_of(const Json& data, const char* key, const std::vector<Named>& inputs) {
  std::set<std::string> result;
  if (data[key].is_boolean()) {
    for (const Named& input : inputs) {
      if (data[key].get<bool>()) result.insert(input.name);
    }
    return result;
  }
  std::vector<std::string> known;
  for (const Named& input : inputs) known.push_back(input.name);
  for (const Json& name : data[key].is_array() ? data[key] : Json::array({data[key]})) {
    const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
    if (std::find(known.begin(), known.end(), text) == known.end())
      throw DataError(key, fmt::format("there is no input {}", quoted(name)), hint_for_name(text, known));
    result.insert(text);
  }
  return result;
}

std::int64_t vocabulary_of(const Tensor& tensor, const std::string& key) {
  if (!tensor.is_whole)
    throw DataError(key, fmt::format("{} holds no whole numbers, so they cannot be indices", tensor.name));
  const Range range = range_of(tensor.array);
  if (range.low >= 0 && range.high < std::int64_t(1) << 31) return range.high + 1;
  throw DataError(key, fmt::format("{} has indices from {} to {}", tensor.name, range.low, range.high),
                  "indices begin at 0 and end below 2^31");
}

bool is_classification(const Json& data, const Tensor& targets) {
  if (data["task"] == "auto") return targets.is_whole;
  if (data["task"] == "classification" && !targets.is_whole)
    throw DataError("task", fmt::format("{} holds no whole numbers, so they are no classes", targets.name),
                    "save them as integers, or `task: regression`");
  return data["task"] == "classification";
}

/// Labels [N], [N, 1] or one for each position [N, L]; -100 stands for a position that does not count.
void set_classes(Dataset& dataset, Tensor targets) {
  if (targets.shape.size() > 2)
    throw DataError("targets", fmt::format("{} has {} sizes", targets.name, targets.shape.size()),
                    "labels are [examples], or [examples, length]");
  const bool has_positions = targets.array.width > 1;
  if (has_positions) dataset.schema.target_shape = {targets.array.width};
  std::set<std::int64_t> seen;
  for (std::int64_t e = 0; e < targets.array.examples; ++e) {
    for (std::int64_t i = 0; i < targets.array.width; ++i) {
      const std::int64_t label = targets.array.index(e, i);
      if (has_positions && label == kIgnored) continue;
      if (label < 0 || label >= kMostClasses)
        throw DataError("targets", fmt::format("{} has the label {} in example {}", targets.name, label, e),
                        "labels are class numbers from 0 on");
      seen.insert(label);
    }
  }
  if (seen.size() < 2)
    throw DataError("targets", fmt::format("{} has the same label everywhere", targets.name),
                    "there is nothing to predict");
  dataset.schema.classes = *seen.rbegin() + 1;
  if (!has_positions && std::int64_t(seen.size()) < dataset.schema.classes - 1) {
    throw DataError("targets",
                    fmt::format("{} has labels up to {}, but only {} different ones", targets.name,
                                dataset.schema.classes - 1, seen.size()),
                    "labels must be class numbers, each of them used");
  }
  for (std::int64_t k = 0; k < dataset.schema.classes; ++k) dataset.schema.class_names.push_back(std::to_string(k));
  dataset.targets = std::move(targets.array);
}

void set_values(Dataset& dataset, Tensor targets) {
  if (targets.shape.size() > 2)
    throw DataError("targets", fmt::format("{} has {} sizes", targets.name, targets.shape.size()),
                    "values are [examples], or [examples, targets]");
  require_finite(targets.array, targets.name, "targets");
  dataset.schema.targets = targets.array.width;
  dataset.targets =
      targets.array.element == Element::f32 ? targets.array : Array::of(targets.array.numbers(), targets.array.width);
}

void set_inputs(Dataset& dataset, const std::vector<Named>& names, std::vector<Tensor> inputs, const Json& data) {
  const std::set<std::string> indices = names_of(data, "indices", names),
                              standardised = names_of(data, "standardise", names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    Input input{names[k].name, behind_first(inputs[k].shape)};
    if (input.shape.empty()) input.shape = {1};
    if (indices.count(input.name) > 0) {
      input.vocabulary = vocabulary_of(inputs[k], names[k].key);
      if (standardised.count(input.name) > 0 && !data["standardise"].is_boolean())
        throw DataError("standardise", fmt::format("the input '{}' is indices", input.name), "leave it out");
    } else {
      require_finite(inputs[k].array, inputs[k].name, names[k].key);
      scale_numbers(inputs[k].array, input.shape, dataset.train, data["scale"].get<double>(),
                    standardised.count(input.name) > 0);
    }
    dataset.schema.inputs.push_back(std::move(input));
    dataset.inputs.push_back(std::move(inputs[k].array));
  }
}

Dataset assemble(const Json& data, const Get& get, std::string sha256, std::uint64_t seed) {
  const std::vector<Named> names = named(data, "inputs");
  Parts parts = read_parts(data, "", get);
  const std::int64_t open = parts.targets.shape[0];
  if (has_test(data)) {
    const Parts test = read_parts(data, "test_", get);
    const std::vector<Named> others = named(data, "test_inputs");
    if (!std::equal(names.begin(), names.end(), others.begin(), others.end(),
                    [](const Named& a, const Named& b) { return a.name == b.name; }))
      throw DataError("test_inputs", "'test_inputs' has other names than 'inputs'",
                      "the same inputs, from other arrays");
    for (std::size_t k = 0; k < names.size(); ++k) append(parts.inputs[k], test.inputs[k], others[k].key);
    append(parts.targets, test.targets, "test_targets");
  }
  Dataset dataset;
  dataset.schema.sha256 = std::move(sha256);
  if (is_classification(data, parts.targets))
    set_classes(dataset, std::move(parts.targets));
  else
    set_values(dataset, std::move(parts.targets));
  Division division{.open = open, .test = dataset.targets.examples - open};
  if (dataset.schema.classes > 0 && dataset.schema.target_shape.empty()) {
    division.labels = dataset.targets.indices();
    division.labels.resize(std::size_t(open));
  }
  finish_splits(dataset, draw_division(data, division, seed));
  set_inputs(dataset, names, std::move(parts.inputs), data);
  return dataset;
}

Sources find_npy(const Json& data, const Locations& where) {
  Sources sources;
  for (const char* key : {"inputs", "test_inputs"}) {
    for (const Named& input : named(data, key))
      sources.push_back({input.key, find_file({input.key, input.where}, where)});
  }
  for (const char* key : {"targets", "test_targets"}) {
    if (!data[key].is_null()) sources.push_back({key, find_file({key, data[key].get<std::string>()}, where)});
  }
  return sources;
}

Dataset load_npy(const Json& data, const Sources& sources, std::uint64_t seed) {
  std::map<std::string, Mapped> files;
  std::vector<std::string> hashes;
  for (const Source& source : sources) {
    hashes.push_back(files.emplace(source.key, map_file(source.file, source.key)).first->second.sha256);
  }
  const Get get = [&](const Named& wanted) {
    const auto source =
        std::find_if(sources.begin(), sources.end(), [&](const Source& s) { return s.key == wanted.key; });
    const Mapped& file = files.at(wanted.key);
    return read_npy(file.bytes, file.size, fmt::format("'{}'", source->file.string()), wanted.key);
  };
  return assemble(data, get, content_hash(data, sources, hashes), seed);
}

Dataset load_archive(const Archive& archive, const Json& data, const Sources& sources, std::uint64_t seed) {
  const Get get = [&](const Named& wanted) { return archive.get(wanted.where, wanted.key); };
  return assemble(data, get, content_hash(data, sources, {archive.sha256}), seed);
}

Dataset load_npz(const Json& data, const Sources& sources, std::uint64_t seed) {
  return load_archive(open_npz(sources[0].file), data, sources, seed);
}

Dataset load_safetensors(const Json& data, const Sources& sources, std::uint64_t seed) {
  return load_archive(open_safetensors(sources[0].file), data, sources, seed);
}

/// @param what  "a file" or "an array"
std::vector<Option> array_options(const std::string& what) {
  return {{.name = "inputs",
           .type = "string-or-names",
           .required = true,
           .text = what + ", [examples, ...], or several: a map from the model's name of each"},
          {.name = "targets",
           .type = "string",
           .required = true,
           .text = what + ": whole numbers are classes, [examples] or [examples, length]; others values"},
          {.name = "test_inputs", .type = "string-or-names", .text = "as `inputs`, where the test split is apart"},
          {.name = "test_targets", .type = "string", .text = "as `targets`, of the test split"},
          {.name = "indices",
           .type = "list",
           .fallback = Json::array(),
           .text = "inputs whose whole numbers are indices (tokens, categories), not quantities"},
          {.name = "task",
           .type = "enum:auto|classification|regression",
           .fallback = "auto",
           .text = "auto: by the type of the targets"},
          {.name = "scale",
           .type = "float",
           .fallback = 1.0,
           .low = 1e-30,
           .high = 1e30,
           .text = "numbers are divided by it"},
          {.name = "standardise",
           .type = "bool-or-list",
           .fallback = false,
           .text = "numbers to mean 0 and deviation 1 over the training split: of all inputs, or of those named"}};
}

DataKind archive_kind(const char* op, const char* text) {
  DataKind kind{op, {{.name = "path", .type = "string", .required = true, .text = "the file", .is_path = true}}, text};
  for (Option& option : array_options("an array of the file")) kind.options.push_back(std::move(option));
  return kind;
}

}  // namespace

Format npy_format() {
  DataKind kind{"npy", array_options("a file"), "arrays of numpy, a file each; mapped where type and order allow"};
  for (Option& option : kind.options)
    option.is_path = option.name.ends_with("inputs") || option.name.ends_with("targets");
  return {std::move(kind), SplitBy::parts, find_npy, load_npy};
}

Format npz_format() {
  return {archive_kind("npz", "arrays of numpy in one archive, stored or deflated"), SplitBy::parts, find_path,
          load_npz};
}

Format safetensors_format() {
  return {archive_kind("safetensors", "named tensors in one file; mapped where the type allows"), SplitBy::parts,
          find_path, load_safetensors};
}

}  // namespace dlrun::dataset
