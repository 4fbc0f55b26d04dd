// SPDX-License-Identifier: Apache-2.0
#include "mcp/serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dlrun::mcp {

namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t") == std::string::npos; }

/// Id of the request that a notification cancels; null: it is none.
Json cancelled_by(const Json& message) {
  if (!message.is_object() || message.value("method", Json()) != "notifications/cancelled") return nullptr;
  const Json params = message.value("params", Json());
  return params.is_object() ? params.value("requestId", Json()) : Json();
}

}  // namespace

void Inbox::add(const Line& line) {
  if (!line.is_too_long && is_blank(line.text)) return;
  try {
    if (line.is_too_long)
      throw Fault{Code::invalid_request, fmt::format("a message has at most {} bytes", kLongestLine)};
    Json message = parse_line(line.text);
    if (const Json id = cancelled_by(message); !id.is_null()) {
      cancel(id);
    } else {
      waiting_.push_back({std::move(message)});
    }
  } catch (const Fault& fault) {
    waiting_.push_back({nullptr, reply(nullptr, fault)});
  }
}

std::optional<Inbox::Waiting> Inbox::next() {
  if (waiting_.empty()) return std::nullopt;
  Waiting out = std::move(waiting_.front());
  waiting_.pop_front();
  return out;
}

void Inbox::cancel(const Json& id) {
  const auto is_meant = [&](const Waiting& waiting) {
    const Json& message = waiting.message;
    return message.is_object() && message.value("method", Json()) != "initialize" && id_of(message) == id;
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_meant), waiting_.end());
}

void serve(int in, const std::function<bool(const std::string& line)>& write, Server& server) {
  Lines lines(in, kLongestLine);
  Inbox inbox;
  for (;;) {
    std::optional<Line> line = inbox.is_empty() ? lines.wait() : lines.next_ready();
    if (!line && inbox.is_empty()) return;
    for (; line; line = inbox.size() < kMostWaiting ? lines.next_ready() : std::nullopt) inbox.add(*line);
    const auto waiting = inbox.next();
    if (!waiting) continue;
    const std::optional<Json> reply = waiting->reply ? waiting->reply : server.answer(waiting->message);
    if (reply && !write(to_text(*reply) + "\n")) return;
  }
}

}  // namespace dlrun::mcp
