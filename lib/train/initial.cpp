// SPDX-License-Identifier: Apache-2.0
#include "train/initial.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "train/tensor_views.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

using tensors::TensorView;

tensors::SafeTensors open(const Json& init) {
  const std::string path = init.at("from").get<std::string>();
  std::string bytes = read_file(path);
  if (Sha256::hex_of(bytes) != init.at("sha256").get<std::string>()) {
    throw Error(ErrorKind::usage, fmt::format("the weights in '{}' are not those the study began with", path),
                "bring back the file it was");
  }
  return {std::move(bytes), "'" + path + "'"};
}

void check_numbers(const std::vector<TensorView>& weights, const std::set<std::string>& taken, const Json& init) {
  for (const TensorView& weight : weights) {
    const std::string fault = taken.contains(weight.name) ? tensors::not_finite(weight) : "";
    if (fault.empty()) continue;
    throw Error(ErrorKind::usage, fmt::format("the weights in '{}' are none to begin with: {}",
                                              init.at("from").get<std::string>(), fault));
  }
}

/// The record of a tensor of the model. @param weight  nullptr: the file has none
trial::TensorStart start_of(const nn::Parameter& parameter, const TensorView* weight, bool is_taken, const Json& init) {
  trial::TensorStart start{parameter.name, "fresh", "", "the file has none", {}, parameter.value.sizes().vec()};
  if (weight == nullptr) return start;
  start.from = weight->shape;
  start.source = is_taken ? weight->name : "of another shape or kind";
  if (!is_taken) return start;
  start.rule = "copied";
  start.donor = init.at("sha256").get<std::string>();
  return start;
}

trial::WeightStart record(const std::vector<TensorView>& weights, const tensors::Fit& fit,
                          const nn::Parameters& parameters, const Json& init) {
  trial::WeightStart start;
  std::map<std::string, const TensorView*> by_name;
  for (const TensorView& weight : weights) by_name[weight.name] = &weight;
  const std::set<std::string> taken(fit.taken.begin(), fit.taken.end());
  for (const nn::Parameter& p : parameters.all()) {
    const auto found = by_name.find(p.name);
    start.tensors.push_back(
        start_of(p, found == by_name.end() ? nullptr : found->second, taken.contains(p.name), init));
  }
  for (const std::string& name : fit.extra) start.tensors.push_back(skipped(*by_name.at(name), init.at("sha256")));
  return start;
}

}  // namespace

trial::TensorStart skipped(const TensorView& weight, const std::string& donor) {
  return {weight.name, "skipped", donor, weight.name, weight.shape, {}};
}

std::optional<trial::WeightStart> load_initial(const Json& init, const nn::Parameters& parameters) {
  if (!init.is_object()) return std::nullopt;
  const tensors::SafeTensors file = open(init);
  const std::vector<TensorView> weights = tensors::weights_of(file);
  const tensors::Fit fit = tensors::fit(weights, wanted_by(parameters));
  if (fit.taken.empty() || (init.at("strict") == true && !fit.is_exact())) {
    throw Error(ErrorKind::usage, fmt::format("the weights in '{}' do not fit the model: {}",
                                              init.at("from").get<std::string>(), tensors::describe(fit)));
  }
  const std::set<std::string> taken(fit.taken.begin(), fit.taken.end());
  check_numbers(weights, taken, init);
  for (const TensorView& weight : weights) {
    if (taken.contains(weight.name)) parameters.find(weight.name)->value.copy_(tensor_of(weight));
  }
  return record(weights, fit, parameters, init);
}

}  // namespace dlrun::train
