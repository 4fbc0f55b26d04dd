// SPDX-License-Identifier: Apache-2.0
#include "protocol/payload.hpp"

#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "util/error.hpp"
#include "util/json_view.hpp"
#include "util/whole.hpp"

namespace dlrun::protocol {

namespace {

constexpr int kMaxDepth = 64;
constexpr std::array<std::string_view, std::variant_size_v<Message>> kNames = {
    "hello",   "welcome",   "refused",  "assign",  "reported",      "result",   "ack",     "fenced",
    "abandon", "heartbeat", "shutdown", "control", "control reply", "prepared", "watched", "leave",
    "ask",     "offer",     "want",     "chunk",   "stored",        "end trial"};

Json write(const Held& held) {
  Json json = trial::to_json(held.key);
  json.push_back(held.attempt);
  return json;
}
Json write(const Hello& m) {
  Json json = {{"protocol", m.protocol}, {"version", m.version}, {"role", m.role},
               {"worker", m.worker},     {"pid", m.pid},         {"host", m.host}};
  if (!m.session.empty()) json["session"] = m.session;
  if (!m.token.empty()) json["token"] = m.token;
  if (!m.job.empty()) json["job"] = m.job;
  if (m.is_apart) json["apart"] = true;
  for (const Held& held : m.holds) json["holds"].push_back(write(held));
  return json;
}
Json write(const Welcome& m) {
  return {{"setup", trial::to_json(m.setup)},
          {"heartbeat", m.heartbeat},
          {"lost_after", m.lost_after},
          {"grace", m.grace},
          {"is_back", m.is_back}};
}
Json write(const Leave& m) { return {{"reason", m.reason}}; }
Json write(const Refused& m) { return {{"reason", m.reason}}; }
Json write(const Assign& m) { return trial::to_json(m.order); }
Json write(const Reported& m) {
  return {{"piece", trial::to_json(m.key)}, {"attempt", m.attempt}, {"report", trial::to_json(m.report)}};
}
Json write(const Result& m) {
  Json json = trial::to_json(m.result);
  if (m.goes_on) json["goes_on"] = true;
  return json;
}
Json write(const Heartbeat& m) { return {{"steps", m.steps}, {"rss", m.rss}}; }
Json write(const Shutdown& m) { return {{"grace", m.grace}}; }
Json write(const Control& m) { return m.request; }
Json write(const ControlReply& m) { return m.reply; }
Json write(const Ask& m) { return {{"sha256", m.sha256}}; }
Json write(const Offer& m) {
  return {{"sha256", m.sha256}, {"bytes", m.bytes}, {"piece", trial::to_json(m.key)}, {"attempt", m.attempt}};
}
Json write(const Want& m) { return {{"sha256", m.sha256}, {"offset", m.offset}}; }
Json write(const Chunk& m) { return {{"sha256", m.sha256}, {"offset", m.offset}}; }
Json write(const Stored& m) { return {{"sha256", m.sha256}, {"fault", m.fault}}; }

Json write(const EndTrial& m) { return {{"trial", m.trial.value}}; }
Json write(const Prepared& m) { return trial::to_json(m.runtime); }
Json write(const Watched& m) {
  Json reports = Json::array();
  for (const trial::Report& report : m.reports) reports.push_back(trial::to_json(report));
  Json json = {{"piece", trial::to_json(m.key)}, {"attempt", m.attempt}, {"reports", std::move(reports)}};
  for (const trial::GangReport& gang : m.gangs) json["gangs"].push_back(trial::to_json(gang));
  return json;
}

template <class Attempt>
requires(std::is_same_v<Attempt, Ack> || std::is_same_v<Attempt, Fenced> || std::is_same_v<Attempt, Abandon>) Json
    write(const Attempt& m) {
  return {{"piece", trial::to_json(m.key)}, {"attempt", m.attempt}};
}

std::vector<Held> read_holds(const Json& json) {
  if (json.size() > kMostHeld) throw Error(ErrorKind::usage, "it holds more than a worker may");
  std::vector<Held> out;
  for (const Json& held : json) out.push_back({trial::piece_key(held), whole<int>(held.at(4))});
  return out;
}
void read(const Json& json, Hello& m) {
  m.protocol = whole<int>(json.at("protocol"));
  m.version = json.at("version").get<std::string>();
  m.role = json.at("role").get<std::string>();
  m.worker = whole_or(json, "worker", -1);
  m.pid = whole_or(json, "pid", 0);
  m.host = json.value("host", std::string());
  m.job = json.value("job", std::string());
  m.session = json.value("session", std::string());
  m.token = json.value("token", std::string());
  m.is_apart = json.value("apart", false);
  if (json.contains("holds")) m.holds = read_holds(json.at("holds"));
}
void read(const Json& json, Welcome& m) {
  m.setup = trial::work_setup(json.at("setup"));
  m.heartbeat = json.at("heartbeat").get<double>();
  m.lost_after = json.value("lost_after", 0.0);
  m.grace = json.value("grace", 0.0);
  m.is_back = json.value("is_back", false);
}
void read(const JsonView& json, Refused& m) { m.reason = json.at("reason").get<std::string>(); }
void read(const JsonView& json, Leave& m) { m.reason = json.at("reason").get<std::string>(); }
void read(const Json& json, Assign& m) { m.order = trial::piece_order(json); }
void read(const JsonView& json, Reported& m) {
  m.key = trial::piece_key(json.at("piece"));
  m.attempt = whole<int>(json.at("attempt"));
  m.report = trial::report(json.at("report"));
}
void read(const JsonView& json, Result& m) {
  m.result = trial::piece_result(json);
  m.goes_on = json.value("goes_on", false);
}
void read(const JsonView& json, Heartbeat& m) {
  m.steps = whole<std::int64_t>(json.at("steps"));
  m.rss = whole<std::int64_t>(json.at("rss"));
}
void read(const JsonView& json, Shutdown& m) { m.grace = json.at("grace").get<double>(); }
void read(const Json& json, Control& m) { m.request = json; }
void read(const Json& json, ControlReply& m) { m.reply = json; }
void read(const JsonView& json, Ask& m) { m.sha256 = json.at("sha256").get<std::string>(); }
void read(const JsonView& json, Offer& m) {
  m.sha256 = json.at("sha256").get<std::string>();
  m.bytes = whole<std::int64_t>(json.at("bytes"));
  m.key = trial::piece_key(json.at("piece"));
  m.attempt = whole<int>(json.at("attempt"));
}
void read(const JsonView& json, Stored& m) {
  m.sha256 = json.at("sha256").get<std::string>();
  m.fault = json.at("fault").get<std::string>();
}
void read(const JsonView& json, EndTrial& m) { m.trial = trial::TrialId(whole<std::int64_t>(json.at("trial"))); }
void read(const Json& json, Prepared& m) { m.runtime = trial::runtime(json); }
void read(const JsonView& json, Watched& m) {
  m.key = trial::piece_key(json.at("piece"));
  m.attempt = whole<int>(json.at("attempt"));
  for (const JsonView& report : json.at("reports").list()) m.reports.push_back(trial::report(report));
  for (const JsonView& gang : json.list_or_none("gangs")) m.gangs.push_back(trial::gang_report(gang));
}

template <class Attempt>
requires(std::is_same_v<Attempt, Ack> || std::is_same_v<Attempt, Fenced> ||
         std::is_same_v<Attempt, Abandon>) void read(const JsonView& json, Attempt& m) {
  m.key = trial::piece_key(json.at("piece"));
  m.attempt = whole<int>(json.at("attempt"));
}

template <class Part>
requires(std::is_same_v<Part, Want> || std::is_same_v<Part, Chunk>) void read(const JsonView& json, Part& m) {
  m.sha256 = json.at("sha256").get<std::string>();
  m.offset = whole<std::int64_t>(json.at("offset"));
}

/// Nesting beyond kMaxDepth, found without parsing: the parser's own guard costs three times the parsing.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

Json json_of(std::string_view text) {
  if (is_too_deep(text)) throw JsonFault("it nests deeper than " + std::to_string(kMaxDepth));
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::exception& fault) {
    throw JsonFault(std::string("it is no valid JSON: ") + fault.what());
  }
}

template <class M>
concept ReadOnly = requires(const JsonView& json, M& message) {
  read(json, message);
};

/// Text of a message for read_message: frequent ones, the reports and results of workers, are read without a tree.
template <class M>
auto parsed(std::string_view text) {
  if constexpr (ReadOnly<M>) {
    return read_json(text);
  } else {
    return json_of(text);
  }
}

template <class M>
Message read_message(std::string_view text) {
  M message;
  read(parsed<M>(text), message);
  return message;
}

/// Alternative number `type - 1` of the variant.
template <std::size_t I = 0>
Message read_alternative(std::uint8_t type, std::string_view text) {
  if constexpr (I < std::variant_size_v<Message>) {
    if (type != I + 1) return read_alternative<I + 1>(type, text);
    return read_message<std::variant_alternative_t<I, Message>>(text);
  } else {
    throw Error(ErrorKind::usage, "no message has type " + std::to_string(type));
  }
}

}  // namespace

std::uint8_t type_of(const Message& message) { return static_cast<std::uint8_t>(message.index() + 1); }

std::string_view type_name(std::uint8_t type) {
  return type >= 1 && type <= kNames.size() ? kNames[type - 1] : std::string_view();
}

Json to_json(const Message& message) {
  return std::visit([](const auto& m) { return write(m); }, message);
}

Message read_payload(std::uint8_t type, std::string_view text) {
  const auto refuse = [&](const std::exception& fault) -> Error {
    return {ErrorKind::usage, fmt::format("malformed message '{}': {}", type_name(type), fault.what())};
  };
  try {
    return read_alternative(type, text);
  } catch (const Json::exception& fault) {
    throw refuse(fault);
  } catch (const JsonFault& fault) {
    throw refuse(fault);
  } catch (const Error& fault) {
    throw refuse(fault);
  }
}

}  // namespace dlrun::protocol
