// SPDX-License-Identifier: Apache-2.0
#include "protocol/rendezvous.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/whole.hpp"

namespace dlrun::protocol {

namespace {

constexpr std::size_t kMostBytes = 64 << 10;

Rendezvous parse(const Json& json) {
  Rendezvous out;
  out.study = json.at("study").get<std::string>();
  out.addresses = json.at("addresses").get<std::vector<std::string>>();
  out.port = whole<int>(json.at("port"));
  out.key = json.at("key").get<std::string>();
  out.file = json.at("file").get<std::string>();
  out.token = json.at("token").get<std::string>();
  out.protocol = whole<int>(json.at("protocol"));
  out.version = json.at("version").get<std::string>();
  return out;
}

/// @throws Error(outside) if it cannot be known: the file system may be away together with the driver
bool is_there(const std::filesystem::path& file) {
  std::error_code fault;
  const bool is_found = std::filesystem::exists(file, fault);
  if (fault) throw Error(ErrorKind::outside, "cannot look for '" + file.string() + "': " + fault.message());
  return is_found;
}

/// Text of a rendezvous file, which may vanish or be replaced at any moment: a driver that ends removes its own.
std::string text_of(const std::filesystem::path& file) {
  for (int tries_left = 20; is_there(file); --tries_left) {
    try {
      return read_file(file, kMostBytes);
    } catch (const Error&) {
      if (tries_left == 0) throw;
    }
  }
  throw Error(ErrorKind::outside, "there is no file '" + file.string() + "': no driver of this study is running",
              "a driver writes it when it is started with --listen");
}

}  // namespace

Json to_json(const Rendezvous& r) {
  return {{"study", r.study}, {"addresses", r.addresses}, {"port", r.port},         {"key", r.key},
          {"file", r.file},   {"token", r.token},         {"protocol", r.protocol}, {"version", r.version}};
}

Rendezvous read_rendezvous(const std::filesystem::path& file) {
  const Json json = parse_json(text_of(file), file.string());
  if (!json.is_object() || !json.contains("addresses")) {
    throw Error(ErrorKind::usage, "'" + file.string() + "' does not say where a driver listens for other machines",
                "start the driver with --listen ADDRESS");
  }
  try {
    return parse(json);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, "'" + file.string() + "' is no endpoint of a driver: " + fault.what());
  }
}

std::string seen_token(const Rendezvous& rendezvous) {
  try {
    return read_rendezvous(rendezvous.file).token;
  } catch (const std::exception&) {
    return {};
  }
}

std::string random_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw Error(ErrorKind::outside, "the system gives no random numbers");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace dlrun::protocol
