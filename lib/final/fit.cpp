// SPDX-License-Identifier: Apache-2.0
#include "final/fit.hpp"

#include <fmt/format.h>

#include "dataset/schema_json.hpp"
#include "spec/study_spec.hpp"
#include "util/error.hpp"
#include "warmstart/misfit.hpp"

namespace dlrun::final {

std::optional<std::vector<tensors::Wanted>> model_of(const Json& trial, const Json& sets, const Json& search) {
  if (sets.is_object()) {
    for (const auto& [place, value] : sets.items()) {
      if (place.starts_with("data")) return std::nullopt;
    }
  }
  return spec::model_tensors(trial, dataset::schema_from_json(search.at("derived").at("data")));
}

void require_fit(const warmstart::TransferPlan& plan, const warmstart::WarmStart& start) {
  const auto misfit = warmstart::misfit_of(start, plan);
  if (!misfit) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} does not fit the model of the final training: {}", start.donors.front().describe(),
                          misfit->fault),
              misfit->help);
}

void require_same_optimizer(const tensors::SafeTensors& file, const Json& trial, const warmstart::Donor& donor) {
  const auto state = file.metadata().find("state");
  if (state == file.metadata().end()) return;
  const Json found = parse_json(state->second, "donor").value("optimizer", Json());
  const Json optimizer = trial.value("optimizer", Json("sgd"));
  const Json wanted = optimizer.is_object() ? optimizer.value("op", Json("sgd")) : optimizer;
  if (found == wanted) return;
  throw Error(ErrorKind::usage,
              fmt::format("E403: the optimizer's state in {} is of {}, but the final training's optimizer is {}",
                          donor.describe(), to_text(found), to_text(wanted)),
              "warm_start.optimizer: reset begins a new one; of policy: best, not of resume");
}

}  // namespace dlrun::final
