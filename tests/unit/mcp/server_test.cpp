// SPDX-License-Identifier: Apache-2.0
// The protocol's methods and faults, message by message.
#include "mcp/server.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace server_test {

using namespace dlrun;
using namespace dlrun::mcp;

namespace {

Tool echo(Right right) {
  return {.name = right == Right::read ? "echo" : "write",
          .title = "Echo",
          .text = "Says it again.",
          .parameters = {{.name = "word", .text = "a word", .is_required = true}},
          .right = right,
          .run = [](const Json& arguments, const Caller& caller) {
            if (arguments["word"] == "fail") throw Error(ErrorKind::not_found, "no such word", "say another");
            if (arguments["word"] == "crash") throw std::runtime_error("broken");
            return Answer{{{"word", arguments["word"]}, {"caller", caller.name}}};
          }};
}

Server make(std::set<Right> rights = {}) {
  return Server({"dlrun", "1.2", "hello"}, {echo(Right::read), echo(Right::propose)}, std::move(rights));
}

Json request(const std::string& method, Json params = Json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", std::move(params)}};
}

Json greet(Server& server, const std::string& version, const std::string& name = "some client") {
  return server
      .answer(request("initialize", {{"protocolVersion", version}, {"clientInfo", {{"name", name}, {"version", "3"}}}}))
      .value();
}

Json call(Server& server, const std::string& tool, Json arguments) {
  return server.answer(request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}})).value();
}

int code_of(const std::optional<Json>& reply) { return reply.value().at("error").at("code").get<int>(); }

}  // namespace

TEST_CASE("a handshake agrees on the client's revision, or on the newest", "[mcp][server]") {
  for (const char* known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    Server server = make();
    CHECK(greet(server, known)["result"]["protocolVersion"] == known);
  }
  Server server = make();
  CHECK(greet(server, "2099-01-01")["result"]["protocolVersion"] == "2025-11-25");
  CHECK(greet(server, "x")["result"]["serverInfo"] == Json{{"name", "dlrun"}, {"version", "1.2"}});
}

TEST_CASE("faults have the codes of JSON-RPC", "[mcp][server]") {
  Server server = make();
  CHECK(code_of(server.answer(Json(3))) == -32600);
  CHECK(code_of(server.answer({{"id", 1}, {"method", "ping"}})) == -32600);
  CHECK(code_of(server.answer({{"jsonrpc", "2.0"}, {"id", 1}})) == -32600);
  CHECK(code_of(server.answer({{"jsonrpc", "2.0"}, {"id", nullptr}, {"method", "ping"}})) == -32600);
  CHECK(code_of(server.answer({{"jsonrpc", "2.0"}, {"id", {1}}, {"method", "ping"}})) == -32600);
  CHECK(code_of(server.answer(request("no/such"))) == -32601);
  CHECK(code_of(server.answer(request("ping", Json::array({1})))) == -32602);
  CHECK(code_of(server.answer(request("initialize"))) == -32602);
  CHECK(code_of(server.answer(request("tools/call"))) == -32602);
  CHECK(code_of(server.answer(request("tools/call", {{"name", "ecko"}}))) == -32602);
  CHECK(code_of(server.answer(request("tools/call", {{"name", "echo"}, {"arguments", 3}}))) == -32602);
  CHECK(code_of(call(server, "echo", {{"word", "crash"}})) == -32603);
}

TEST_CASE("a reply has its request's id, and notifications and replies get none", "[mcp][server]") {
  Server server = make();
  CHECK(server.answer(request("ping")) == Json{{"jsonrpc", "2.0"}, {"id", 7}, {"result", Json::object()}});
  CHECK(server.answer({{"jsonrpc", "2.0"}, {"id", "a"}, {"method", "ping"}}).value()["id"] == "a");
  CHECK_FALSE(server.answer({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}));
  CHECK_FALSE(server.answer({{"jsonrpc", "2.0"}, {"method", "tools/call"}, {"params", 3}}));
  CHECK_FALSE(server.answer({{"jsonrpc", "2.0"}, {"id", 1}, {"result", 5}}));
}

TEST_CASE("batches are for their one revision", "[mcp][server]") {
  const Json batch = Json::array({request("ping"), {{"jsonrpc", "2.0"}, {"method", "notifications/x"}}, 5});
  Server server = make();
  CHECK(code_of(server.answer(batch)) == -32600);
  greet(server, "2025-03-26");
  const Json replies = server.answer(batch).value();
  REQUIRE(replies.size() == 2);
  CHECK(replies[0]["id"] == 7);
  CHECK(replies[1]["error"]["code"] == -32600);
  CHECK(code_of(server.answer(Json::array())) == -32600);
  CHECK(code_of(server.answer(Json(std::vector<Json>(101, request("ping"))))) == -32600);
  CHECK_FALSE(server.answer(Json::array({{{"jsonrpc", "2.0"}, {"method", "notifications/x"}}})));
}

TEST_CASE("a tool needs its right, and is only listed with it", "[mcp][server]") {
  Server reader = make();
  CHECK(reader.answer(request("tools/list")).value()["result"]["tools"].size() == 1);
  const Json refused = call(reader, "write", {{"word", "x"}})["result"];
  CHECK(refused["isError"] == true);
  CHECK(refused["structuredContent"]["help"] == "whoever runs this server gives it with --allow propose");
  Server proposer = make({Right::propose});
  CHECK(proposer.answer(request("tools/list")).value()["result"]["tools"].size() == 2);
  CHECK(call(proposer, "write", {{"word", "x"}})["result"]["isError"] == false);
}

TEST_CASE("faults of a tool and of its arguments are results that the model sees", "[mcp][server]") {
  Server server = make();
  CHECK(call(server, "echo", {{"word", "fail"}})["result"]["structuredContent"] ==
        Json{{"error", "no such word"}, {"help", "say another"}});
  CHECK(call(server, "echo", {{"wrod", "x"}})["result"]["structuredContent"]["help"] == "did you mean 'word'?");
  CHECK(call(server, "echo", {})["result"]["isError"] == true);
}

TEST_CASE("a client's name cannot be taken for something else in a note", "[mcp][server]") {
  Server server = make();
  greet(server, "2025-06-18", "evil: enqueued\n'x'=1");
  CHECK(call(server, "echo", {{"word", "x"}})["result"]["structuredContent"]["caller"] == "evil_ enqueued__x__1 3");
  greet(server, "2025-06-18", std::string(500, 'a'));
  CHECK(call(server, "echo", {{"word", "x"}})["result"]["structuredContent"]["caller"] == std::string(60, 'a'));
}

TEST_CASE("requests with an envelope need no handshake", "[mcp][server]") {
  Server server = make();
  const auto with_version = [](const char* version) {
    return Json{{"_meta",
                 {{"io.modelcontextprotocol/protocolVersion", version},
                  {"io.modelcontextprotocol/clientInfo", {{"name", "modern"}, {"version", "9"}}},
                  {"io.modelcontextprotocol/clientCapabilities", Json::object()}}}};
  };
  const Json found = server.answer(request("server/discover", with_version("2026-07-28"))).value()["result"];
  CHECK(found["supportedVersions"] == Json{"2026-07-28"});
  CHECK(found["resultType"] == "complete");
  Json params = with_version("2026-07-28");
  params.update({{"name", "echo"}, {"arguments", {{"word", "x"}}}});
  const Json result = server.answer(request("tools/call", params)).value()["result"];
  CHECK(result["structuredContent"]["caller"] == "modern 9");
  CHECK(result["resultType"] == "complete");
  const Json fault = server.answer(request("server/discover", with_version("2030-01-01"))).value()["error"];
  CHECK(fault["code"] == -32022);
  CHECK(fault["data"]["supported"] == Json{"2026-07-28"});
}

}  // namespace server_test
