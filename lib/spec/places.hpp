// SPDX-License-Identifier: Apache-2.0
// Places in the trial that a parameter may set by `at:`, and which values each takes. From the table of keys and the
// model's layer kinds, for the trial at hand.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "spec/keys.hpp"

namespace dlrun::spec {

struct Place {
  std::string path;  ///< "optimizer.lr", "model.nodes.fc1.out"
  bool takes_integers = false;
  bool takes_reals = false;
  bool takes_booleans = false;
  bool takes_texts = false;        ///< any text
  std::vector<std::string> words;  ///< texts that it takes
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_above = false;  ///< low itself is outside
  std::string kind_at;    ///< "optimizer.op": the place exists only where that one is in `kinds`
  std::vector<std::string> kinds;
};

/// All places of a trial (normal form), those of every kind a section may have.
std::vector<Place> places_of(const Json& trial);

/// Why the value cannot stand there: "takes whole numbers", or nothing where it can.
std::optional<std::string> refusal(const Place& place, const Json& value);

}  // namespace dlrun::spec
