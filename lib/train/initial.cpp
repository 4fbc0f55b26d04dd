// SPDX-License-Identifier: Apache-2.0
#include "train/initial.hpp"

#include <cstring>
#include <set>

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "tensors/weights.hpp"
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

std::vector<tensors::Wanted> tensors_of(const nn::Parameters& parameters) {
  std::vector<tensors::Wanted> out;
  for (const nn::Parameter& p : parameters.all())
    out.push_back({p.name, p.value.sizes().vec(), p.value.scalar_type() == at::kLong});
  return out;
}

at::ScalarType type_of(const std::string& dtype) {
  if (dtype == "I64") return at::kLong;
  if (dtype == "F64") return at::kDouble;
  if (dtype == "F16") return at::kHalf;
  return dtype == "BF16" ? at::kBFloat16 : at::kFloat;
}

/// @return a tensor that owns its numbers: those of a file need not be aligned.
at::Tensor tensor_of(const TensorView& view) {
  at::Tensor tensor = at::empty(view.shape, type_of(view.dtype));
  if (!view.bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
  return tensor;
}

}  // namespace

void load_initial(const Json& init, const nn::Parameters& parameters) {
  if (!init.is_object()) return;
  const tensors::SafeTensors file = open(init);
  const std::vector<TensorView> weights = tensors::weights_of(file);
  const tensors::Fit fit = tensors::fit(weights, tensors_of(parameters));
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
