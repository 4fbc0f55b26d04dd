// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.hpp"

#include <utility>

#include "util/error.hpp"

namespace dlrun::mcp {

namespace {

constexpr std::size_t kLongestWords = 200;  // bytes of a parser's message, which may quote all of the line

bool is_id(const Json& value) { return value.is_string() || value.is_number_integer(); }

}  // namespace

Json parse_line(std::string_view line) {
  try {
    return parse_json(line, "the message");
  } catch (const Error& fault) {
    throw Fault{Code::parse_error, std::string(fault.what()).substr(0, kLongestWords)};
  }
}

bool is_reply(const Json& message) {
  return message.is_object() && !message.contains("method") &&
         (message.contains("result") || message.contains("error"));
}

Json id_of(const Json& message) {
  if (!message.is_object() || !message.contains("id") || !is_id(message["id"])) return nullptr;
  return message["id"];
}

Request to_request(const Json& message) {
  if (!message.is_object()) throw Fault{Code::invalid_request, "a message is a JSON object"};
  if (message.value("jsonrpc", Json()) != "2.0") throw Fault{Code::invalid_request, "a message says jsonrpc: \"2.0\""};
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string()) throw Fault{Code::invalid_request, "a request names its method"};
  if (message.contains("id") && !is_id(message["id"]))
    throw Fault{Code::invalid_request, "an id is a text or a whole number"};
  Request out{id_of(message), method->get<std::string>()};
  if (message.contains("params")) out.params = message["params"];
  if (!out.params.is_object()) throw Fault{Code::invalid_params, "the parameters of a request are a JSON object"};
  return out;
}

Json reply(const Json& id, Json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }

Json reply(const Json& id, const Fault& fault) {
  Json error = {{"code", int(fault.code)}, {"message", fault.message}};
  if (!fault.data.is_null()) error["data"] = fault.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

}  // namespace dlrun::mcp
