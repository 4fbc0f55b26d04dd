// SPDX-License-Identifier: Apache-2.0
// Numbers of fields are those of TensorBoard's plugin_data.proto and api.proto, and of protobuf's struct.proto.
#include "exchange/hparams.hpp"

namespace dlrun::exchange {

namespace {

/// google.protobuf.Value
Message value_message(const Json& value) {
  if (value.is_boolean()) return Message().add_integer(4, value.get<bool>() ? 1 : 0);
  if (value.is_number()) return Message().add_double(2, value.get<double>());
  return Message().add_bytes(3, plain_text(value));
}

Message column_message(const HParam& column) {
  Message out;
  out.add_bytes(1, column.name);
  if (!column.description.empty()) out.add_bytes(3, column.description);
  out.add_integer(4, int(column.type));
  if (column.choices.empty() && column.low <= column.high)
    return out.add_message(6, Message().add_double(1, column.low).add_double(2, column.high));
  Message list;
  for (const Json& choice : column.choices) list.add_message(1, value_message(choice));
  return column.choices.empty() ? out : out.add_message(5, list);
}

/// The data set that a metric is of, by dlrun's names: 1 training, 2 validation.
int dataset_of(const std::string& metric) {
  if (metric.find("train.") != std::string::npos) return 1;
  return metric.find("val.") != std::string::npos ? 2 : 0;
}

Message metric_message(const std::string& metric) {
  Message out;
  out.add_message(1, Message().add_bytes(2, metric));
  const int dataset = dataset_of(metric);
  return dataset == 0 ? out : out.add_integer(5, dataset);
}

}  // namespace

std::string plain_text(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

Message experiment_message(double created, const std::vector<HParam>& columns,
                           const std::vector<std::string>& metrics) {
  Message out;
  out.add_double(3, created);
  for (const HParam& column : columns) out.add_message(4, column_message(column));
  for (const std::string& metric : metrics) out.add_message(5, metric_message(metric));
  return Message().add_message(2, out);
}

Message session_start_message(const SessionStart& start) {
  Message out;
  for (const auto& [name, value] : start.values)
    out.add_message(1, Message().add_bytes(1, name).add_message(2, value_message(value)));
  out.add_bytes(4, start.group).add_double(5, start.time);
  return Message().add_message(3, out);
}

Message session_end_message(SessionStatus status, double time) {
  Message out;
  if (status != SessionStatus::unknown) out.add_integer(1, int(status));
  if (time != 0) out.add_double(2, time);
  return Message().add_message(4, out);
}

}  // namespace dlrun::exchange
