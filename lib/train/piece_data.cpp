// SPDX-License-Identifier: Apache-2.0
// The data of a piece against those of its study.
#include <string>

#include <fmt/format.h>

#include "data/data.hpp"
#include "dataset/dataset.hpp"
#include "train/piece.hpp"
#include "trial/runner.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

constexpr const char* kFold = "data.split.fold";

/// The hash of a fold is another one than the study's, which is seen without it.
void require_hash(const trial::WorkSetup& setup, const trial::PieceOrder& order, const data::Data& data) {
  if (setup.data_sha256.empty()) return;
  const bool is_fold = order.sets.contains(kFold);
  const std::string found =
      is_fold ? dataset::inspect(setup.trial.at("data"), {}, order.seed).sha256 : data.schema().sha256;
  if (found == setup.data_sha256) return;
  throw Error(ErrorKind::outside, fmt::format("its sha256 is {}, the study's is {}", found, setup.data_sha256),
              "bring back the files as they were, or give the study another name");
}

}  // namespace

void require_data(const trial::WorkSetup& setup, const trial::PieceOrder& order) {
  for (const auto& [key, value] : order.sets.items()) {
    if (key.starts_with("data") && key != kFold) return;
  }
  try {
    require_hash(setup, order, *data::load_shared(trial::configured(setup.trial, order.sets).at("data"), order.seed));
  } catch (const Error& fault) {
    throw Error(ErrorKind::outside, fmt::format("the data is not what it was: {}", fault.what()), fault.hint());
  }
}

}  // namespace dlrun::train
