// SPDX-License-Identifier: Apache-2.0
#include "train/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

std::vector<float> in_unit(const float* numbers, const dataset::ValueScale& unit) {
  std::vector<float> own;
  for (std::size_t k = 0; k < unit.scale.size(); ++k)
    own.push_back(static_cast<float>(double(numbers[k]) * unit.scale[k] + unit.shift[k]));
  return own;
}

bool names_any(const std::vector<std::string>& names, const auto& sums) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return sums.value(name).has_value(); });
}

}  // namespace

Sums::Sums(const std::vector<std::string>& names, std::int64_t classes, std::size_t means,
           const dataset::ValueScale& unit)
    : names_(names), parts_(means), errors_(unit), unit_(unit) {
  needs_kept_ = std::any_of(names.begin(), names.end(), is_of_plugin);
  if (classes == 0) return;
  needs_confusion_ = names_any(names, Confusion(2));
  needs_calibration_ = names_any(names, Calibration());
  needs_ranking_ = names_any(names, Ranking());
  if (needs_confusion_) confusion_ = Confusion(classes);
}

void Sums::LossSum::add(double mean, double of) {
  weight += of;
  loss += of > 0 ? mean * of : mean;
}

void Sums::LossSum::add(const LossSum& other) {
  weight += other.weight;
  loss += other.loss;
}

void Sums::add_loss(const Measured& loss) {
  loss_.add(loss.mean, loss.weight);
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].add(loss.parts.at(i).mean, loss.parts.at(i).weight);
}

double Sums::loss() const {
  double sum = 0;
  for (const LossSum& part : parts_) sum += part.mean();
  return parts_.empty() ? loss_.mean() : sum;
}

void Sums::add_batch(const Measured& loss, const at::Tensor& output, const at::Tensor& targets) {
  add_loss(loss);
  if (targets.scalar_type() == at::kLong) return add_labels(output, targets);
  const float* y = output.const_data_ptr<float>();
  const float* t = targets.const_data_ptr<float>();
  const std::int64_t batch = targets.size(0), width = targets.numel() / batch;
  for (std::int64_t b = 0; b < batch; ++b) {
    has_nan_ = has_nan_ || has_nan(y + b * width, width);
    errors_.add_example(y + b * width, t + b * width, width);
    if (needs_kept_) keep_numbers(y + b * width, t + b * width, width);
  }
}

void Sums::keep_numbers(const float* output, const float* target, std::int64_t width) {
  if (unit_.empty()) return kept_.add_example(output, target, width);
  const std::vector<float> own_output = in_unit(output, unit_), own_target = in_unit(target, unit_);
  kept_.add_example(own_output.data(), own_target.data(), width);
}

void Sums::add_labels(const at::Tensor& output, const at::Tensor& labels) {
  const float* row = output.const_data_ptr<float>();
  const std::int64_t* label = labels.const_data_ptr<std::int64_t>();
  const std::int64_t count = labels.numel(), width = output.numel() / count;
  std::vector<double> p;
  for (std::int64_t i = 0; i < count; ++i, row += width, ++label) {
    if (*label == kIgnored) continue;
    hits_.add_example(row, width, *label);
    const bool is_nan = has_nan(row, width);
    has_nan_ = has_nan_ || is_nan;
    if (needs_kept_) kept_.add_example(row, width, *label);
    if (needs_confusion_ && is_nan) confusion_.add_missed(*label);
    if (needs_confusion_ && !is_nan) confusion_.add_example(predicted(row, width), *label);
    if (needs_ranking_) ranking_.add_example(row, width, *label);
    if (!needs_calibration_) continue;
    probabilities(row, width, p);
    calibration_.add_example(p, predicted(row, width), *label);
  }
}

double Sums::value(const std::string& name) const {
  for (const std::optional<double>& found :
       {hits_.value(name), needs_confusion_ ? confusion_.value(name) : std::nullopt,
        needs_calibration_ ? calibration_.value(name) : std::nullopt,
        needs_ranking_ ? ranking_.value(name) : std::nullopt, errors_.value(name)}) {
    if (found) return *found;
  }
  if (const std::optional<double> found = needs_kept_ ? kept_.value(name) : std::nullopt) return *found;
  throw Error(ErrorKind::usage, "metrics: there is no '" + name + "'");
}

/// An epoch of training may happen to draw nothing that counts, and goes on.
std::vector<trial::Metric> Sums::values(const std::string& split) const {
  const bool is_training = split.starts_with("train");
  const bool has_examples = is_training || hits_.count() + errors_.count() > 0;
  std::vector<trial::Metric> result{{split + ".loss", is_training || has_weight() ? loss() : kUndefined}};
  for (const std::string& name : names_)
    result.push_back({split + "." + name, has_examples ? value(name) : kUndefined});
  return result;
}

/// A loss that is no number in spite of its examples ends the training, which says so itself.
bool Sums::is_defined(const trial::Metric& metric) const {
  if (metric.name.ends_with(".loss")) return !std::isnan(metric.value) || has_weight();
  if (std::isfinite(metric.value)) return true;
  if (!has_nan_) return false;
  throw Error(ErrorKind::usage, fmt::format("{} is not defined: outputs of the model are NaN", metric.name),
              "its weights are no numbers, or inputs are too large");
}

bool Sums::has_weight() const {
  const auto weighs = [](const LossSum& sum) { return sum.weight > 0; };
  return parts_.empty() ? weighs(loss_) : std::all_of(parts_.begin(), parts_.end(), weighs);
}

std::vector<trial::Metric> Sums::metrics(const std::string& split) const {
  std::vector<trial::Metric> result = values(split);
  for (const trial::Metric& metric : result) {
    if (is_defined(metric)) continue;
    if (metric.name.ends_with(".loss"))
      throw Error(ErrorKind::usage, fmt::format("{} is not defined: no example of the split counts", metric.name),
                  "give classes that occur in the split a weight above 0");
    if (std::isinf(metric.value))
      throw Error(ErrorKind::usage, fmt::format("{} is infinite: outputs of the model are too large", metric.name),
                  "a smaller lr; or the loss expects other outputs, as kl_div does those of log_softmax");
    throw Error(ErrorKind::usage,
                fmt::format("{} is not defined: the split has too few classes or examples", metric.name),
                "give the split more examples, or leave the metric out");
  }
  return result;
}

Defined Sums::defined(const std::string& split) const {
  Defined result;
  for (const trial::Metric& metric : values(split))
    is_defined(metric) ? result.metrics.push_back(metric) : result.undefined.push_back(metric.name);
  return result;
}

std::vector<Term> Sums::terms(const std::string& name) const {
  if (name != "loss") return {{1, value(name), hits_.count() + errors_.count()}};
  std::vector<Term> terms;
  for (const LossSum& part : parts_) terms.push_back({1, part.mean(), part.weight});
  if (terms.empty()) terms.push_back({1, loss(), loss_.weight});
  return terms;
}

double Sums::value_without(const Sums& examples, const std::string& name) const {
  Sums rest = *this;
  rest.hits_.add(examples.hits_, -1);
  rest.confusion_.add(examples.confusion_, -1);
  rest.calibration_.add(examples.calibration_, -1);
  rest.errors_.add(examples.errors_, -1);
  return rest.value(name);
}

void Sums::add(const Sums& other) {
  has_nan_ = has_nan_ || other.has_nan_;
  loss_.add(other.loss_);
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].add(other.parts_.at(i));
  hits_.add(other.hits_);
  confusion_.add(other.confusion_);
  calibration_.add(other.calibration_);
  ranking_.add(other.ranking_);
  errors_.add(other.errors_);
  kept_.add(other.kept_);
}

/// Scores of older versions, under "ranking", were probabilities.
const char* Sums::ranking_key() const { return needs_ranking_ ? "log_odds" : "ranking"; }

Json Sums::to_json() const {
  Json json = {{"loss", {loss_.weight, loss_.loss}}, {"hits", hits_.to_json()},
               {"confusion", confusion_.to_json()},  {"calibration", calibration_.to_json()},
               {ranking_key(), ranking_.to_json()},  {"errors", errors_.to_json()}};
  if (needs_kept_) json["kept"] = kept_.to_json();
  for (const LossSum& part : parts_) json["parts"].push_back({part.weight, part.loss});
  return json;
}

void Sums::restore(const Json& json) {
  const auto sum_of = [](const Json& pair) { return LossSum{pair.at(0).get<double>(), pair.at(1).get<double>()}; };
  loss_ = sum_of(json.at("loss"));
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] = sum_of(json.at("parts").at(i));
  hits_.restore(json.at("hits"));
  confusion_.restore(json.at("confusion"));
  calibration_.restore(json.at("calibration"));
  ranking_.restore(json.at(ranking_key()));
  errors_.restore(json.at("errors"));
  if (needs_kept_) kept_.restore(json.at("kept"));
}

}  // namespace dlrun::train
