// SPDX-License-Identifier: Apache-2.0
#include "driver/endpoint.hpp"

#include <unistd.h>

#include "driver/driver.hpp"
#include "executor/control_client.hpp"
#include "protocol/rendezvous.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/version.hpp"

namespace dlrun::driver {

namespace {

constexpr std::size_t kMostBytes = 64 << 10;

Json rendezvous(const std::filesystem::path& store, const std::string& study, const executor::Reach& reach,
                const std::string& token) {
  protocol::Rendezvous out{.study = study, .addresses = reach.addresses, .port = reach.port, .token = token};
  out.key = storage::study_file(store, study, ".key").string();
  out.file = endpoint_file(store, study).string();
  out.protocol = protocol::kProtocolVersion;
  out.version = version();
  return protocol::to_json(out);
}

}  // namespace

std::filesystem::path endpoint_file(const std::filesystem::path& store, const std::string& study) {
  return storage::study_file(store, study, ".endpoint");
}

executor::NetworkOptions network_options(const std::filesystem::path& store, const std::string& study,
                                         const HostPort& address) {
  executor::NetworkOptions out;
  out.address = address;
  out.key = storage::study_file(store, study, ".key");
  out.token = protocol::random_token();
  out.store = store.string();
  return out;
}

Endpoint::Endpoint(const std::filesystem::path& store, const std::string& study, const executor::Hub& hub,
                   const std::string& token)
    : file_(endpoint_file(store, study)) {
  Json json = {{"socket", hub.address()}, {"pid", ::getpid()}};
  if (const auto reach = hub.reach()) json.update(rendezvous(store, study, *reach, token));
  text_ = to_text(json) + "\n";
  write_file(file_, text_, {.durable = false});
}

Endpoint::~Endpoint() {
  try {
    if (read_file(file_, kMostBytes) == text_) ::unlink(file_.c_str());
  } catch (const Error&) {  // the file is gone
  }
}

std::optional<std::string> find_endpoint(const std::filesystem::path& store, const std::string& study) {
  try {
    const Json json = parse_json(read_file(endpoint_file(store, study), kMostBytes), "endpoint");
    return json.is_object() && json.contains("socket") ? std::optional(json["socket"].get<std::string>())
                                                       : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<Json> ask_running(const std::filesystem::path& store, const std::string& study, const Json& request) {
  const auto socket = find_endpoint(store, study);
  return socket ? executor::ask(*socket, request) : std::nullopt;
}

}  // namespace dlrun::driver
