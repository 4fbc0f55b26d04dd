// SPDX-License-Identifier: Apache-2.0
// Methods of the Model Context Protocol (modelcontextprotocol.io/specification) for a server that has tools and nothing
// else. Pure: a message in, a reply out.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mcp/message.hpp"
#include "mcp/tool.hpp"

namespace dlrun::mcp {

struct About {
  std::string name, version;
  std::string instructions;  ///< for the model: how to use the tools together
};

/// Two ways to speak: with a handshake (`initialize`, revisions up to 2025-11-25), or with an envelope in each request
/// (`_meta`, 2026-07-28). The first message decides nothing; each request is answered in the way that it was asked.
class Server {
 public:
  /// @param rights  given to every caller, beside read
  Server(About about, std::vector<Tool> tools, std::set<Right> rights);

  /// Reply to a message; nothing for a notification, and for a reply.
  std::optional<Json> answer(const Json& message);

 private:
  Json carry_out(const Request& request);
  std::optional<Json> answer_batch(const Json& messages);
  Json initialize(const Json& params);
  Json discover() const;
  Json list_tools() const;
  Json call(const Json& params, const Caller& caller) const;
  const Tool& tool_named(const Json& params) const;
  Caller caller_of(const Request& request) const;

  About about_;
  std::vector<Tool> tools_;
  std::set<Right> rights_;
  std::string revision_;  ///< agreed in the handshake; empty: there was none yet
  Caller greeted_;        ///< client of the handshake
};

}  // namespace dlrun::mcp
