// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::mcp {

namespace {

const std::vector<std::string> kHandshakes{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
const std::vector<std::string> kEnvelopes{"2026-07-28"};
const std::string kBatching = "2025-03-26";  // the only revision with batches
constexpr std::size_t kMostOfBatch = 100;
constexpr std::size_t kLongestShown = 60;
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";

bool has(const std::vector<std::string>& list, const Json& value) {
  return value.is_string() && std::find(list.begin(), list.end(), value.get<std::string>()) != list.end();
}

/// Name of a client, which goes into notes: nothing in it can be taken for something else there.
Caller caller_named(const Json& info) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-/";
  if (!info.is_object()) return {};
  std::string name = info.value("name", Json()).is_string() ? info["name"].get<std::string>() : "";
  if (info.value("version", Json()).is_string()) name += ' ' + info["version"].get<std::string>();
  name = name.substr(0, kLongestShown);
  for (char& c : name) {
    if (std::string_view(kAllowed).find(c) == std::string_view::npos) c = '_';
  }
  return name.find_first_not_of(' ') == std::string::npos ? Caller{} : Caller{name};
}

/// Envelope of a request; null where it has none.
Json envelope_of(const Request& request) {
  const Json meta = request.params.value("_meta", Json());
  return meta.is_object() && meta.contains(kVersionKey) ? meta : Json();
}

/// @throws Fault for a revision that is none of ours
void check_envelope(const Json& meta) {
  const Json& version = meta[kVersionKey];
  if (!version.is_string()) throw Fault{Code::invalid_params, "the version of the protocol is no text"};
  if (has(kEnvelopes, version)) return;
  throw Fault{Code::unsupported_version,
              "unsupported version of the protocol",
              {{"supported", kEnvelopes}, {"requested", version}}};
}

Json refusal(const Error& fault) {
  Json data = {{"error", fault.what()}};
  if (!fault.place().empty()) data["place"] = fault.place();
  if (!fault.hint().empty()) data["help"] = fault.hint();
  return result_of({std::move(data), true});
}

}  // namespace

Server::Server(About about, std::vector<Tool> tools, std::set<Right> rights)
    : about_(std::move(about)), tools_(std::move(tools)), rights_(std::move(rights)) {
  rights_.insert(Right::read);
}

std::optional<Json> Server::answer(const Json& message) {
  if (message.is_array()) return answer_batch(message);
  if (is_reply(message)) return std::nullopt;
  try {
    const Request request = to_request(message);
    if (request.is_notification()) return std::nullopt;
    return reply(request.id, carry_out(request));
  } catch (const Fault& fault) {
    if (message.is_object() && !message.contains("id") && message.contains("method")) return std::nullopt;
    return reply(id_of(message), fault);
  } catch (const std::exception& fault) {
    return reply(id_of(message), Fault{Code::internal_error, fault.what()});
  }
}

std::optional<Json> Server::answer_batch(const Json& messages) {
  const auto refuse = [](const std::string& text) { return reply(nullptr, Fault{Code::invalid_request, text}); };
  if (revision_ != kBatching) return refuse("this revision of the protocol has no batches: send one message a line");
  if (messages.empty()) return refuse("the batch is empty");
  if (messages.size() > kMostOfBatch) return refuse(fmt::format("a batch has at most {} messages", kMostOfBatch));
  Json replies = Json::array();
  for (const Json& message : messages) {
    if (message.is_array()) {
      replies.push_back(refuse("a batch within a batch"));
    } else if (auto one = answer(message)) {
      replies.push_back(std::move(*one));
    }
  }
  if (replies.empty()) return std::nullopt;
  return replies;
}

Json Server::carry_out(const Request& request) {
  const Json meta = envelope_of(request);
  if (!meta.is_null()) check_envelope(meta);
  Json result;
  if (request.method == "initialize") {
    result = initialize(request.params);
  } else if (request.method == "server/discover") {
    result = discover();
  } else if (request.method == "ping") {
    result = Json::object();
  } else if (request.method == "tools/list") {
    result = list_tools();
  } else if (request.method == "tools/call") {
    result = call(request.params, caller_of(request));
  } else {
    throw Fault{Code::method_not_found,
                fmt::format("there is no method '{}'", request.method.substr(0, kLongestShown))};
  }
  if (!meta.is_null()) {
    result["resultType"] = "complete";
    result["_meta"] = {{kServerKey, {{"name", about_.name}, {"version", about_.version}}}};
  }
  return result;
}

Json Server::initialize(const Json& params) {
  const Json wanted = params.value("protocolVersion", Json());
  if (!wanted.is_string()) throw Fault{Code::invalid_params, "initialize needs protocolVersion, a text"};
  revision_ = has(kHandshakes, wanted) ? wanted.get<std::string>() : kHandshakes.back();
  greeted_ = caller_named(params.value("clientInfo", Json()));
  return {{"protocolVersion", revision_},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", about_.name}, {"version", about_.version}}},
          {"instructions", about_.instructions}};
}

Json Server::discover() const {
  return {{"supportedVersions", kEnvelopes},
          {"capabilities", {{"tools", Json::object()}}},
          {"instructions", about_.instructions},
          {"ttlMs", 0},
          {"cacheScope", "private"}};
}

Json Server::list_tools() const {
  Json list = Json::array();
  for (const Tool& tool : tools_) {
    if (rights_.contains(tool.right)) list.push_back(description_of(tool));
  }
  return {{"tools", std::move(list)}, {"ttlMs", 0}, {"cacheScope", "private"}};
}

const Tool& Server::tool_named(const Json& params) const {
  const Json name = params.value("name", Json());
  if (!name.is_string()) throw Fault{Code::invalid_params, "tools/call needs name, a text"};
  const std::string wanted = name.get<std::string>(), given = wanted.substr(0, kLongestShown);
  std::vector<std::string> known;
  for (const Tool& tool : tools_) {
    if (tool.name == wanted) return tool;
    known.push_back(tool.name);
  }
  const std::string nearest = nearest_name(given, known);
  throw Fault{Code::invalid_params, fmt::format("there is no tool '{}'{}", given,
                                                nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest))};
}

Json Server::call(const Json& params, const Caller& caller) const {
  const Tool& tool = tool_named(params);
  const Json arguments = params.value("arguments", Json::object());
  if (!arguments.is_object() && !arguments.is_null())
    throw Fault{Code::invalid_params, "the arguments of a tool are a JSON object"};
  try {
    if (!rights_.contains(tool.right))
      throw Error(ErrorKind::usage, fmt::format("'{}' needs the right to {}", tool.name, to_string(tool.right)),
                  fmt::format("whoever runs this server gives it with --allow {}", to_string(tool.right)));
    const Json given = arguments.is_null() ? Json::object() : arguments;
    check(tool.parameters, given);
    return result_of(tool.run(given, caller));
  } catch (const Error& fault) {
    return refusal(fault);
  }
}

Caller Server::caller_of(const Request& request) const {
  const Json meta = envelope_of(request);
  return meta.is_null() ? greeted_ : caller_named(meta.value(kClientKey, Json()));
}

}  // namespace dlrun::mcp
