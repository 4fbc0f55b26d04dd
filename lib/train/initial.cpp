// SPDX-License-Identifier: Apache-2.0
#include "train/initial.hpp"

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
  if (Sha256::hex_of(bytes) != init.at("sha256")) {
    throw Error(ErrorKind::usage, fmt::format("the weights in '{}' are not those the study began with", path),
                "bring back the file it was");
  }
  return {std::move(bytes), "'" + path + "'"};
}

}  // namespace

void load_initial(const Json& init, const nn::Parameters& parameters) {
  if (!init.is_object()) return;
  const tensors::SafeTensors file = open(init);
  const std::vector<TensorView> weights = tensors::weights_of(file);
  const tensors::Fit fit = tensors::fit(weights, wanted_by(parameters));
  if (fit.taken.empty() || (init.at("strict") == true && !fit.is_exact())) {
    throw Error(ErrorKind::usage, fmt::format("the weights in '{}' do not fit the model: {}",
                                              init.at("from").get<std::string>(), tensors::describe(fit)));
  }
  const std::set<std::string> taken(fit.taken.begin(), fit.taken.end());
  for (const TensorView& weight : weights) {
    if (taken.contains(weight.name)) parameters.find(weight.name)->value.copy_(tensor_of(weight));
  }
}

}  // namespace dlrun::train
