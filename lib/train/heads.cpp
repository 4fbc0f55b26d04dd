// SPDX-License-Identifier: Apache-2.0
#include "train/heads.hpp"

#include <algorithm>
#include <cmath>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

const model::Shape& shape_of(const model::Graph& graph, std::size_t output) {
  const model::Node* node = output < graph.outputs.size() ? graph.find(graph.outputs[output].node) : nullptr;
  if (!node) throw Error(ErrorKind::usage, "the model has no layers");
  return node->out;
}

std::size_t index_of(const dataset::Schema& data, const std::string& target) {
  const dataset::Target* found = dataset::find_target(data, target);
  return found == nullptr ? 0 : std::size_t(found - data.several.data());
}

}  // namespace

SplitSums::SplitSums(const std::vector<OutputConfig>& outputs, const dataset::Schema& data, bool is_training) {
  for (const OutputConfig& output : outputs) {
    if (output.is_auxiliary && !is_training) {
      parts_.push_back({"", 0, {}});  // keeps the others' places
    } else {
      const dataset::Schema seen = dataset::seen_by(data, output.target);
      parts_.push_back({output.name, output.loss.weight,
                        Sums(output.metrics, seen.classes, separate_means(output.loss), seen.unit)});
    }
  }
}

double SplitSums::loss() const {
  if (is_single()) return parts_.front().sums.loss();
  double sum = 0;
  for (const Part& part : parts_) sum += part.weight * part.sums.loss();
  return sum;
}

std::vector<trial::Metric> SplitSums::metrics(const std::string& split) const {
  if (is_single()) return parts_.front().sums.metrics(split);
  std::vector<trial::Metric> result{{split + ".loss", loss()}};
  for (const Part& part : parts_) {
    if (part.name.empty()) continue;
    const std::vector<trial::Metric> own = part.sums.metrics(split + "." + part.name);
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

Defined SplitSums::defined(const std::string& split) const {
  if (is_single()) return parts_.front().sums.defined(split);
  Defined result{{{split + ".loss", loss()}}, {}};
  for (const Part& part : parts_) {
    if (part.name.empty()) continue;
    const Defined own = part.sums.defined(split + "." + part.name);
    result.metrics.insert(result.metrics.end(), own.metrics.begin(), own.metrics.end());
    result.undefined.insert(result.undefined.end(), own.undefined.begin(), own.undefined.end());
  }
  return result;
}

std::vector<Term> SplitSums::terms(const std::string& metric) const {
  if (is_single()) return parts_.front().sums.terms(metric);
  std::vector<Term> terms;
  for (const Part& part : parts_) {
    const bool is_its_own = !part.name.empty() && metric.starts_with(part.name + ".");
    if (!is_its_own && (metric != "loss" || part.weight == 0)) continue;
    for (Term term : part.sums.terms(is_its_own ? metric.substr(part.name.size() + 1) : metric)) {
      if (!is_its_own) term.factor = part.weight;
      terms.push_back(term);
    }
  }
  return terms;
}

SplitSums::Measuring SplitSums::measuring(const std::string& metric) const {
  if (is_single()) return {&parts_.front().sums, metric};
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) {
    return !one.name.empty() && metric.starts_with(one.name + ".");
  });
  return {&part->sums, metric.substr(part->name.size() + 1)};
}

void SplitSums::add(const SplitSums& other) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].sums.add(other.parts_[i].sums);
}

Json SplitSums::to_json() const {
  if (is_single()) return parts_.front().sums.to_json();
  Json json = Json::object();
  for (const Part& part : parts_) json[part.name] = part.sums.to_json();
  return json;
}

void SplitSums::restore(const Json& json) {
  if (is_single()) return parts_.front().sums.restore(json);
  for (Part& part : parts_) part.sums.restore(json.at(part.name));
}

Heads::Heads(const std::vector<OutputConfig>& outputs, const model::Graph& graph, const data::Data& data)
    : is_single_(outputs.size() == 1 && outputs.front().name.empty()) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputConfig& output = outputs[i];
    const dataset::Schema seen = dataset::seen_by(data.schema(), output.target);
    const bool needs_counts = is_balanced(output.loss);
    heads_.push_back({output.loss.weight, index_of(data.schema(), output.target),
                      make_loss(output.loss, shape_of(graph, i), seen,
                                needs_counts ? data.class_counts(output.target) : std::vector<std::int64_t>())});
  }
}

std::vector<at::Tensor> Heads::predictions(const std::vector<at::Tensor>& outputs) const {
  std::vector<at::Tensor> foretold;
  for (std::size_t i = 0; i < heads_.size(); ++i)
    foretold.push_back(outputs[i].defined() ? heads_[i].loss->prediction(outputs[i]).contiguous() : at::Tensor());
  return foretold;
}

std::vector<float> Heads::each(const std::vector<at::Tensor>& outputs, const data::Examples& batch) const {
  std::vector<float> sums(std::size_t(batch.size()));
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (!outputs[i].defined()) continue;
    const Head& head = heads_[i];
    const std::vector<float> own = head.loss->each(outputs[i], {batch.target(head.target), batch.other, batch.share});
    for (std::size_t k = 0; k < own.size(); ++k) sums[k] += float(is_single_ ? 1 : head.weight) * own[k];
  }
  return sums;
}

std::vector<SplitSums> Heads::measure_each(const std::vector<at::Tensor>& outputs, const data::Examples& batch,
                                           const SplitSums& fresh) {
  std::vector<SplitSums> all(std::size_t(batch.size()), fresh);
  for (std::int64_t i = 0; i < batch.size(); ++i) {
    std::vector<at::Tensor> own;
    for (const at::Tensor& output : outputs) own.push_back(output.defined() ? output.narrow(0, i, 1) : output);
    measure(own, batch.narrow(i, 1), all[std::size_t(i)], nullptr);
  }
  return all;
}

Measured Heads::measure(const std::vector<at::Tensor>& outputs, const data::Examples& batch, SplitSums& sums,
                        std::vector<at::Tensor>* grads) {
  std::vector<Measured> own(heads_.size());
  Measured total{0, double(batch.size())};
  if (grads != nullptr) grads->resize(heads_.size());
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (!outputs[i].defined()) continue;
    const Head& head = heads_[i];
    at::Tensor* grad = grads == nullptr ? nullptr : &(*grads)[i];
    own[i] = head.loss->measure(outputs[i], {batch.target(head.target), batch.other, batch.share}, grad);
    total.mean += head.weight * own[i].mean;
    if (grad != nullptr && head.weight != 1) grad->mul_(head.weight);
  }
  if (is_single_) total = own.front();
  if (grads != nullptr && !std::isfinite(total.mean)) return total;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const Head& head = heads_[i];
    if (outputs[i].defined())
      sums.of(i).add_batch(own[i], head.loss->prediction(outputs[i]), batch.target(head.target));
  }
  return total;
}

}  // namespace dlrun::train
