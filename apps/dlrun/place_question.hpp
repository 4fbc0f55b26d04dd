// SPDX-License-Identifier: Apache-2.0
// Options of `dlrun place`, and what placers are asked by them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "placement/portfolio.hpp"

namespace dlrun::cli {

constexpr const char* kUsualLink = "pcie3";
constexpr std::int64_t kMostDevices = 64;

/// Devices that are asked for. @throws Error(usage) for more than 64
int device_count(const Arguments& arguments);

/// Settings of all placers.
struct Question {
  placement::Cluster cluster;
  bool trains = true;
  std::vector<std::string> orders, placers;
  std::int64_t tries = 0;
  std::uint64_t seed = 0;
  double effort = 0;                                  ///< `exact` takes at most
  double sct_effort = 0;                              ///< `sct` takes at most
  placement::Rules rules = placement::usual_rules();  ///< by which `auto` chooses an order
  double expected = 0;                                ///< seconds of the best step, as the caller guesses; 0: no guess
  bool names_effort = false;                          ///< the caller names it

  bool asks(const char* placer) const { return std::find(placers.begin(), placers.end(), placer) != placers.end(); }
  placement::Step step_of(const placement::Graph& graph) const {
    return trains ? placement::training_step(graph) : placement::inference_step(graph);
  }
};

/// Placers and orders where none is named; empty: those of the help.
struct UsualNames {
  std::vector<std::string> placers = {}, orders = {};
};

/// @throws Error(usage) for a name that is not known, or an option that changes nothing
Question question_of(const Arguments& arguments, const UsualNames& usual = {});

/// One entry for each placer, and for each order where it follows one; one device first.
/// @throws Error(usage) where the solver is needed and not there
std::vector<placement::Found> answers(const Question& question, const placement::Graph& graph, const Console& console);

std::vector<Option> place_options();

/// @throws Error(usage) "--NAME changes nothing: …" where one of these options is given, or one of how a study is read
void refuse_with_study_options(std::vector<std::string> names, const Arguments& arguments, const std::string& why,
                               const std::string& hint = {});

}  // namespace dlrun::cli
