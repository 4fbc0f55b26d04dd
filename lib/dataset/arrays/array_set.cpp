// SPDX-License-Identifier: Apache-2.0
// Arrays to a data set: which are indices, what the targets are, how numbers are scaled.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "dataset/arrays/array_parts.hpp"
#include "dataset/arrays/measure.hpp"
#include "dataset/targets.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::int64_t kMostClasses = 1 << 20;

std::int64_t place_of(const std::vector<std::string>& sorted, const std::string& text) {
  return std::lower_bound(sorted.begin(), sorted.end(), text) - sorted.begin();
}

/// Gives two arrays of texts the same numbers. REQUIRES: both stand for texts
void unite_texts(Tensor& train, Tensor& test) {
  if (*train.texts == *test.texts) return;
  auto all = std::make_shared<std::vector<std::string>>();
  std::set_union(train.texts->begin(), train.texts->end(), test.texts->begin(), test.texts->end(),
                 std::back_inserter(*all));
  for (Tensor* tensor : {&train, &test}) {
    std::vector<std::int64_t> numbers = tensor->array.indices();
    for (std::int64_t& number : numbers) number = place_of(*all, (*tensor->texts)[std::size_t(number)]);
    tensor->array = Array::of(std::move(numbers), tensor->array.width);
    tensor->texts = all;
  }
}

void append_array(Tensor& train, Tensor test, const std::string& key) {
  const bool is_alike =
      train.array.element == test.array.element && (train.texts == nullptr) == (test.texts == nullptr) &&
      std::equal(train.shape.begin() + 1, train.shape.end(), test.shape.begin() + 1, test.shape.end());
  if (!is_alike)
    throw DataError(key, fmt::format("{} is of another type or shape than {}", test.name, train.name),
                    "only the number of examples may differ");
  if (train.texts != nullptr) unite_texts(train, test);
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
std::set<std::string> array_names(const Json& data, const char* key, const std::vector<Named>& inputs) {
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

std::int64_t array_vocabulary(const Tensor& tensor, const std::string& key) {
  if (!tensor.is_whole)
    throw DataError(key, fmt::format("{} holds no whole numbers, so they cannot be indices", tensor.name));
  const Range range = range_of(tensor.array);
  if (range.low >= 0 && range.high < std::int64_t(1) << 31) return range.high + 1;
  throw DataError(key, fmt::format("{} has indices from {} to {}", tensor.name, range.low, range.high),
                  "indices begin at 0 and end below 2^31");
}

bool is_class_target(const std::string& task, const Tensor& targets) {
  if (task == "auto") return targets.is_whole;
  if (task == "classification" && !targets.is_whole)
    throw DataError("task", fmt::format("{} holds no whole numbers, so they are no classes", targets.name),
                    "save them as integers, or `task: regression`");
  if (task == "regression") require_numbers(targets.texts, targets.name, "task");
  return task == "classification";
}

/// Labels [N], [N, 1] or one for each position [N, L]; -100 stands for a position that does not count.
TargetValues array_labels(const Named& named, Tensor targets) {
  Target target{.name = named.name};
  if (targets.shape.size() > 2)
    throw DataError(named.key, fmt::format("{} has {} sizes", targets.name, targets.shape.size()),
                    "labels are [examples], or [examples, length]");
  const bool has_positions = targets.array.width > 1;
  if (has_positions) target.shape = {targets.array.width};
  std::set<std::int64_t> seen;
  for (std::int64_t e = 0; e < targets.array.examples; ++e) {
    for (std::int64_t i = 0; i < targets.array.width; ++i) {
      const std::int64_t label = targets.array.index(e, i);
      if (has_positions && label == kIgnored) continue;
      if (label < 0 || label >= kMostClasses)
        throw DataError(named.key, fmt::format("{} has the label {} in example {}", targets.name, label, e),
                        "labels are class numbers from 0 on");
      seen.insert(label);
    }
  }
  if (seen.size() < 2)
    throw DataError(named.key, fmt::format("{} has the same label everywhere", targets.name),
                    "there is nothing to predict");
  target.classes = *seen.rbegin() + 1;
  if (!has_positions && std::int64_t(seen.size()) < target.classes - 1) {
    throw DataError(named.key,
                    fmt::format("{} has labels up to {}, but only {} different ones", targets.name, target.classes - 1,
                                seen.size()),
                    "labels must be class numbers, each of them used");
  }
  if (targets.texts != nullptr) target.class_names = *targets.texts;
  for (std::int64_t k = std::int64_t(target.class_names.size()); k < target.classes; ++k)
    target.class_names.push_back(std::to_string(k));
  return {std::move(target), std::move(targets.array)};
}

TargetValues array_values(const Named& named, const Tensor& targets) {
  if (targets.shape.size() > 2)
    throw DataError(named.key, fmt::format("{} has {} sizes", targets.name, targets.shape.size()),
                    "values are [examples], or [examples, targets]");
  require_finite(targets.array, targets.name, named.key);
  const std::int64_t width = targets.array.width;
  const bool is_ready = targets.array.element == Element::f32;
  return {{.name = named.name, .width = width}, is_ready ? targets.array : Array::of(targets.array.numbers(), width)};
}

/// `names` of the section's targets, in the order of the tensors.
void add_targets(Dataset& dataset, const Json& data, const std::vector<Named>& names, std::vector<Tensor> tensors) {
  std::vector<std::string> known;
  for (const Named& name : names) known.push_back(name.name);
  check_tasks(data, known);
  std::vector<TargetValues> targets;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool has_classes = is_class_target(task_of(data, names[k].name), tensors[k]);
    targets.push_back(has_classes ? array_labels(names[k], std::move(tensors[k])) : array_values(names[k], tensors[k]));
  }
  set_targets(dataset, std::move(targets));
}

/// @throws DataError where the test split's arrays have other names.
void require_alike(const std::vector<Named>& names, const std::vector<Named>& others, const std::string& key) {
  if (std::equal(names.begin(), names.end(), others.begin(), others.end(),
                 [](const Named& a, const Named& b) { return a.name == b.name; }))
    return;
  throw DataError("test_" + key, fmt::format("'test_{0}' has other names than '{0}'", key),
                  fmt::format("the same {}, from other arrays", key));
}

void set_array_inputs(Dataset& dataset, const std::vector<Named>& names, std::vector<Tensor> inputs, const Json& data) {
  const std::set<std::string> indices = array_names(data, "indices", names),
                              standardised = array_names(data, "standardise", names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    Input input{names[k].name, behind_first(inputs[k].shape)};
    if (input.shape.empty()) input.shape = {1};
    require_numbers(inputs[k].texts, inputs[k].name, names[k].key);
    if (indices.count(input.name) > 0) {
      input.vocabulary = array_vocabulary(inputs[k], names[k].key);
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

}  // namespace

Dataset assemble(const Json& data, const Get& get, std::string sha256, std::uint64_t seed) {
  const std::vector<Named> names = named(data, "inputs"), targets = named(data, "targets");
  Parts parts = read_parts(data, "", get);
  const std::int64_t open = parts.targets.front().shape[0];
  if (has_test(data)) {
    Parts test = read_parts(data, "test_", get);
    const std::vector<Named> others = named(data, "test_inputs"), other_targets = named(data, "test_targets");
    require_alike(names, others, "inputs");
    require_alike(targets, other_targets, "targets");
    for (std::size_t k = 0; k < names.size(); ++k)
      append_array(parts.inputs[k], std::move(test.inputs[k]), others[k].key);
    for (std::size_t k = 0; k < targets.size(); ++k)
      append_array(parts.targets[k], std::move(test.targets[k]), other_targets[k].key);
  }
  Dataset dataset;
  dataset.schema.sha256 = std::move(sha256);
  add_targets(dataset, data, targets, std::move(parts.targets));
  Division division{.open = open, .test = dataset.targets.examples - open};
  if (dataset.schema.classes > 0 && dataset.schema.target_shape.empty()) {
    division.labels = dataset.targets.indices();
    division.labels.resize(std::size_t(open));
  }
  finish_splits(dataset, draw_division(data, division, seed));
  set_array_inputs(dataset, names, std::move(parts.inputs), data);
  return dataset;
}

}  // namespace dlrun::dataset
