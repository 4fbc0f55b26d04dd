// SPDX-License-Identifier: Apache-2.0
// New arrays for a model that was trained on arrays: of the same shape and kind of numbers, scaled as those were.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dataset/arrays/array_parts.hpp"
#include "dataset/arrays/measure.hpp"
#include "dataset/targets.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

using Shape = std::vector<std::int64_t>;

Shape shape_of_example(const RawTensor& raw) {
  const Shape shape(raw.shape.begin() + 1, raw.shape.end());
  return shape.empty() ? Shape{1} : shape;
}

/// [32, 32, 3] where [3, 32, 32] is wanted: the usual mistake with images.
std::string hint_for_shape(Shape found, Shape wanted) {
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  return found == wanted ? "the same sizes in another order: transpose it, as the training array was" : "";
}

void check_shape(const RawTensor& raw, const Shape& trained) {
  const Shape found = shape_of_example(raw);
  if (found == trained) return;
  throw DataError("data",
                  fmt::format("{} has examples of [{}], but the model was trained on [{}]", raw.name,
                              fmt::join(found, ", "), fmt::join(trained, ", ")),
                  hint_for_shape(found, trained));
}

/// Bytes from 0 to 255 where reals from 0 to 1 were: of another kind, numbers hardly mean the same.
void check_kind(const RawTensor& raw, bool was_whole) {
  if (raw.is_whole() == was_whole) return;
  throw DataError("data",
                  fmt::format("{} holds {}, but the model was trained on {}", raw.name,
                              was_whole ? "reals" : "whole numbers", was_whole ? "whole numbers" : "reals"),
                  "save it with the type that the training array has");
}

/// One input of the model, from a new array.
class NewInput {
 public:
  NewInput(RawTensor raw, Input input, const Array& trained)
      : raw_(std::move(raw)), input_(std::move(input)), scale_(trained.scale), shift_(trained.shift) {
    require_examples(raw_, "data");
    require_numbers(raw_.texts, raw_.name, "data");
    check_shape(raw_, input_.shape);
    check_kind(raw_, trained.element != Element::f32);
  }

  const RawTensor& raw() const { return raw_; }
  Array part(std::int64_t begin, std::int64_t count) const {
    Array array = to_tensor(rows_of(raw_, begin, count), "data").array;
    input_.is_index() ? check_indices(array) : require_finite(array, raw_.name, "data", begin);
    array.scale = scale_;
    array.shift = shift_;
    return array;
  }

 private:
  void check_indices(const Array& array) const {
    const Range range = range_of(array);
    if (range.low >= 0 && range.high < input_.vocabulary) return;
    throw DataError("data", fmt::format("{} has the index {}, but the model was trained on 0 to {}", raw_.name,
                                        range.low < 0 ? range.low : range.high, input_.vocabulary - 1));
  }

  RawTensor raw_;
  Input input_;
  std::vector<float> scale_, shift_;
};

/// One target, likewise: labels or values [examples], [examples, width].
class NewTarget {
 public:
  NewTarget(RawTensor raw, Target target) : raw_(std::move(raw)), target_(std::move(target)) {
    require_examples(raw_, "data");
    width_ = target_.classes == 0 ? target_.width : target_.shape.empty() ? 1 : target_.shape[0];
    const Shape found = shape_of_example(raw_);
    if (found != Shape{width_})
      throw DataError("data", fmt::format("{} has [{}] targets for each example, but the model {}", raw_.name,
                                          fmt::join(found, ", "), width_));
    if (target_.classes > 0 && !raw_.is_whole())
      throw DataError("data", fmt::format("{} holds reals, but the model's targets are classes", raw_.name),
                      "whole numbers from 0 on");
    set_numbers();
  }

  const RawTensor& raw() const { return raw_; }
  TargetValues part(std::int64_t begin, std::int64_t count) const {
    Array array = to_tensor(rows_of(raw_, begin, count), "data").array;
    if (raw_.texts != nullptr) array = renumbered(array);
    target_.classes > 0 ? check_labels(array, begin) : require_finite(array, raw_.name, "data", begin);
    if (target_.classes == 0 && array.element != Element::f32) array = Array::of(array.numbers(), width_);
    return {target_, std::move(array)};
  }

 private:
  void check_labels(const Array& array, std::int64_t begin) const {
    for (std::int64_t e = 0; e < array.examples; ++e) {
      for (std::int64_t i = 0; i < array.width; ++i) {
        const std::int64_t label = array.index(e, i);
        const bool is_known = label >= 0 && label < target_.classes;
        if (is_known || (!target_.shape.empty() && label == kIgnored)) continue;
        throw DataError("data", fmt::format("{} has the label {} in example {}, but the model knows 0 to {}", raw_.name,
                                            label, begin + e, target_.classes - 1));
      }
    }
  }

  /// The classes that the new texts are. @throws DataError: training had no such class
  void set_numbers() {
    const std::vector<std::string>& names = target_.class_names;
    if (raw_.texts == nullptr && !are_numbers(names))
      throw DataError("data", fmt::format("{} holds no texts, but the model's classes are {}", raw_.name, known()));
    if (raw_.texts == nullptr) return;
    if (target_.classes == 0) require_numbers(raw_.texts, raw_.name, "data");
    for (const std::string& text : *raw_.texts) {
      numbers_.push_back(std::find(names.begin(), names.end(), text) - names.begin());
      if (numbers_.back() == std::int64_t(names.size()))
        throw DataError(
            "data", fmt::format("{} has the class {}, but the model knows {}", raw_.name, quoted(Json(text)), known()));
    }
  }

  static bool are_numbers(const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] != std::to_string(k)) return false;
    }
    return true;
  }

  std::string known() const {
    const std::vector<std::string>& names = target_.class_names;
    return fmt::format("{}{}",
                       fmt::join(names.begin(), names.begin() + std::min<std::ptrdiff_t>(20, std::ssize(names)), ", "),
                       names.size() > 20 ? ", …" : "");
  }

  Array renumbered(const Array& array) const {
    std::vector<std::int64_t> numbers = array.indices();
    for (std::int64_t& number : numbers) number = numbers_.at(std::size_t(number));
    return Array::of(std::move(numbers), array.width);
  }

  RawTensor raw_;
  Target target_;
  std::int64_t width_ = 1;
  std::vector<std::int64_t> numbers_;  ///< class of each of the new texts
};

Target target_named(const std::string& name, const Schema& trained) {
  const Schema seen = seen_by(trained, name);
  return {name, seen.classes, seen.classes > 0 ? 1 : seen.targets, seen.target_shape, seen.class_names};
}

class ArrayStream final : public FreshStream {
 public:
  ArrayStream(Schema schema, std::vector<NewInput> inputs, std::vector<NewTarget> targets, std::vector<Mapped> mapped)
      : schema_(std::move(schema)),
        inputs_(std::move(inputs)),
        targets_(std::move(targets)),
        mapped_(std::move(mapped)),
        examples_(inputs_.front().raw().shape[0]) {
    for (const NewInput& input : inputs_) require_as_many(input.raw());
    for (const NewTarget& target : targets_) require_as_many(target.raw());
    std::int64_t bytes = 1;
    for (const Input& input : schema_.inputs) {
      std::int64_t numbers = 1;
      for (const std::int64_t size : input.shape) numbers *= size;
      bytes += numbers * 8;
    }
    rows_ = rows_of_part(bytes);
  }

  std::optional<Fresh> next() override {
    if (begin_ == examples_) return std::nullopt;
    for (const Mapped& file : mapped_) file.forget();
    const std::int64_t count = std::min(rows_, examples_ - begin_);
    Fresh fresh{.dataset = {.schema = schema_}};
    for (const NewInput& input : inputs_) fresh.dataset.inputs.push_back(input.part(begin_, count));
    targets_.empty() ? set_unknown_targets(fresh.dataset, count) : add_targets(fresh.dataset, count);
    use_all_rows(fresh.dataset);
    begin_ += count;
    return fresh;
  }

 private:
  void require_as_many(const RawTensor& raw) const {
    const RawTensor& first = inputs_.front().raw();
    if (raw.shape[0] == examples_) return;
    throw DataError("data",
                    fmt::format("{} has {} examples, but {} has {}", first.name, examples_, raw.name, raw.shape[0]),
                    "the first size of all arrays is the number of examples");
  }

  void add_targets(Dataset& dataset, std::int64_t count) const {
    std::vector<TargetValues> values;
    for (const NewTarget& target : targets_) values.push_back(target.part(begin_, count));
    dataset.schema.several.clear();
    set_targets(dataset, std::move(values));
  }

  Schema schema_;
  std::vector<NewInput> inputs_;
  std::vector<NewTarget> targets_;  ///< none: they are not needed
  std::vector<Mapped> mapped_;
  std::int64_t examples_, rows_ = 1, begin_ = 0;
};

}  // namespace

std::unique_ptr<FreshStream> fresh_arrays(const Json& data, const Get& get, const std::vector<Mapped>& mapped,
                                          const FreshOptions& options, const Dataset& trained) {
  const Schema& schema = trained.schema;
  std::vector<NewInput> inputs;
  std::vector<NewTarget> targets;
  for (const Named& input : named(data, "inputs"))
    inputs.emplace_back(get(input), schema.inputs[inputs.size()], trained.inputs[inputs.size()]);
  const std::vector<Named> names = options.needs_targets ? named(data, "targets") : std::vector<Named>();
  for (const Named& target : names) targets.emplace_back(get(target), target_named(target.name, schema));
  return std::make_unique<ArrayStream>(schema, std::move(inputs), std::move(targets), mapped);
}

}  // namespace dlrun::dataset
