// SPDX-License-Identifier: Apache-2.0
// One message of JSON-RPC 2.0 (jsonrpc.org/specification), its faults and its replies.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "util/json.hpp"

namespace dlrun::mcp {

/// Codes of JSON-RPC and of the Model Context Protocol: part of the format, do not renumber.
enum class Code {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  unsupported_version = -32022
};

/// Fault that ends a request; a reply is made of it.
struct Fault {
  Code code = Code::internal_error;
  std::string message;
  Json data = nullptr;
};

/// A request, or a notification if nobody waits for a reply.
struct Request {
  Json id;  ///< text or whole number; null: a notification
  std::string method;
  Json params = Json::object();
  bool is_notification() const { return id.is_null(); }
};

/// JSON of one line. @throws Fault(parse_error)
Json parse_line(std::string_view line);
/// Whether the message answers a request of ours.
bool is_reply(const Json& message);
/// @throws Fault(invalid_request), Fault(invalid_params) if the parameters are no object
Request to_request(const Json& message);
/// Id of a message, as far as it has a valid one; else null.
Json id_of(const Json& message);

Json reply(const Json& id, Json result);
Json reply(const Json& id, const Fault& fault);

}  // namespace dlrun::mcp
