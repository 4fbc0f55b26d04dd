// SPDX-License-Identifier: Apache-2.0
#include "driver/endpoint.hpp"

#include <unistd.h>

#include "driver/driver.hpp"
#include "executor/control_client.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::driver {

namespace {

std::filesystem::path endpoint_file(const std::filesystem::path& store, const std::string& study) {
  return store / "studies" / (study + ".endpoint");
}

}  // namespace

Endpoint::Endpoint(const std::filesystem::path& store, const std::string& study, const std::string& socket)
    : file_(endpoint_file(store, study)) {
  write_file(file_, to_text({{"socket", socket}, {"pid", ::getpid()}}) + "\n", {.durable = false});
}

Endpoint::~Endpoint() { ::unlink(file_.c_str()); }

std::optional<std::string> find_endpoint(const std::filesystem::path& store, const std::string& study) {
  try {
    const Json json = parse_json(read_file(endpoint_file(store, study), 4096), "endpoint");
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
