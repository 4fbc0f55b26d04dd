// SPDX-License-Identifier: Apache-2.0
// `partition` of a `data:` section: which rank of a data-parallel training has which example. Here are its settings;
// lib/data deals the examples out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/options.hpp"

namespace dlrun::dataset {

/// Measure of how hard an example is, from the forward passes of its training steps.
struct Importance {
  std::string signal = "loss";
  std::string aggregate = "mean";
  std::int64_t ignore_epochs = 5;  ///< first epochs of the warm-up, which do not count
};

struct Partition {
  std::string policy = "random";
  double alpha = 0.5;  ///< parameter of the Dirichlet distribution
  std::optional<Importance> importance;
  std::int64_t warmup_epochs = 10;  ///< epochs with policy random, in which importance is measured first
  std::int64_t interval_epochs = 5;
  std::string order = "desc";
  bool rotates = false;  ///< block i goes to rank (i + interval) mod n
  std::string remainder = "pad";

  bool is_reshuffled() const { return policy == "random"; }
};

/// Null if nothing is written.
options::Key partition_option();

/// Fills in what depends on other settings of the partition, and removes one that is null.
void finish_partition(Json& section, Faults& faults);

/// @param section  normalised.  @throws DataError if the partition does not fit the data or the sampler.
void check_partition(const Json& section, const Schema& schema);

/// @param section  normalised; nullopt: it has no partition
std::optional<Partition> read_partition(const Json& section);

}  // namespace dlrun::dataset
