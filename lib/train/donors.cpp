// SPDX-License-Identifier: Apache-2.0
#include "train/donors.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "train/artifacts.hpp"
#include "train/tensor_views.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"
#include "warmstart/misfit.hpp"
#include "warmstart/transfer_rules.hpp"

namespace dlrun::train {

namespace {

std::string bytes_of(const warmstart::Donor& donor, const std::filesystem::path& artifacts) {
  if (donor.from.empty()) return fetch(artifacts, donor.sha256);
  std::string bytes = read_file(donor.from);
  if (Sha256::hex_of(bytes) == donor.sha256) return bytes;
  throw Error(ErrorKind::usage, fmt::format("the weights in '{}' are not those the study began with", donor.from),
              "bring back the file it was");
}

void refuse(const warmstart::WarmStart& start, const warmstart::Donor& donor, const warmstart::TransferPlan& plan) {
  const auto misfit = warmstart::misfit_of(start, plan);
  if (!misfit) return;
  throw Error(ErrorKind::usage, fmt::format("warm_start from {}: {}", donor.describe(), misfit->fault), misfit->help);
}

/// The part that both have, from the first index on in every dimension.
void copy_shared(const at::Tensor& to, const at::Tensor& from) {
  at::Tensor target = to, source = from;
  for (std::int64_t d = 0; d < to.dim(); ++d) {
    const std::int64_t size = std::min(to.size(d), from.size(d));
    target = target.narrow(d, 0, size);
    source = source.narrow(d, 0, size);
  }
  target.copy_(source);
}

Weights taken(const SafeTensors& file, const warmstart::TransferPlan& plan, const nn::Parameters& parameters,
              const Weights& fresh) {
  const std::vector<tensors::TensorView> views = tensors::weights_of(file);
  std::map<std::string, const tensors::TensorView*> by_name;
  for (const tensors::TensorView& view : views) by_name[view.name] = &view;
  Weights out = copy_of(fresh);
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const warmstart::Transfer& transfer = plan.tensors[i];
    if (transfer.rule == warmstart::TransferRule::fresh) continue;
    copy_shared(tensor_of(out, parameters, i), tensor_of(*by_name.at(transfer.source)));
  }
  return out;
}

}  // namespace

std::vector<Loaded> load_donors(const warmstart::WarmStart& start, const std::filesystem::path& artifacts,
                                const nn::Parameters& parameters, const Weights& fresh) {
  const warmstart::TransferRules rules = warmstart::transfer_rules(start);
  std::vector<Loaded> out;
  for (const warmstart::Donor& donor : start.donors) {
    SafeTensors file(bytes_of(donor, artifacts), donor.describe());
    warmstart::TransferPlan plan = warmstart::plan_transfer(tensors::weights_of(file), wanted_by(parameters), rules);
    refuse(start, donor, plan);
    Weights weights = taken(file, plan, parameters, fresh);
    out.push_back({std::move(file), std::move(plan), std::move(weights)});
  }
  return out;
}

}  // namespace dlrun::train
