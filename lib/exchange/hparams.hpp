// SPDX-License-Identifier: Apache-2.0
// Messages of TensorBoard's plugin `hparams`: the columns of its table, and a row's begin and end.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "exchange/protobuf.hpp"
#include "util/json.hpp"

namespace dlrun::exchange {

inline constexpr const char* kExperimentTag = "_hparams_/experiment";
inline constexpr const char* kSessionStartTag = "_hparams_/session_start_info";
inline constexpr const char* kSessionEndTag = "_hparams_/session_end_info";

/// Types of a column; numbers of the format.
enum class HParamType { text = 1, boolean = 2, number = 3 };

/// States of a session; numbers of the format.
enum class SessionStatus { unknown = 0, success = 1, failure = 2, running = 3 };

/// A column of the table.
struct HParam {
  std::string name;
  std::string description;
  HParamType type = HParamType::number;
  double low = std::numeric_limits<double>::infinity();  ///< ends of a range
  double high = -std::numeric_limits<double>::infinity();
  std::vector<Json> choices;  ///< instead of a range
};

/// Values of a session, by column. Numbers in a column of text become text.
struct SessionStart {
  std::string group;  ///< sessions of a group are runs of the same configuration
  double time = 0;    ///< seconds since 1970
  std::vector<std::pair<std::string, Json>> values;
};

Message experiment_message(double created, const std::vector<HParam>& columns, const std::vector<std::string>& metrics);
Message session_start_message(const SessionStart& start);
Message session_end_message(SessionStatus status, double time);

/// A value as text, without quotes.
std::string plain_text(const Json& value);

}  // namespace dlrun::exchange
