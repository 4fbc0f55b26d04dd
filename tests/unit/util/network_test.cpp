// SPDX-License-Identifier: Apache-2.0
#include "util/network.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace network_test {

using namespace dlrun;
using Catch::Matchers::Contains;

TEST_CASE("addresses are read as people write them", "[util][network]") {
  CHECK(host_port("10.0.0.1:7000") == HostPort{"10.0.0.1", 7000});
  CHECK(host_port("10.0.0.1") == HostPort{"10.0.0.1", 0});
  CHECK(host_port(":7000") == HostPort{"127.0.0.1", 7000});
  CHECK(host_port("login1:0") == HostPort{"login1", 0});
  CHECK(host_port("[::1]:7000") == HostPort{"::1", 7000});
  CHECK(host_port("[::1]") == HostPort{"::1", 0});
  CHECK(host_port("fe80::1") == HostPort{"fe80::1", 0});
  for (const char* text :
       {"", "a b", "host:", "host:-1", "host:65536", "host:7x", "[::1", "[]:7", "[::1]7", "http://x"}) {
    INFO(text);
    CHECK_THROWS_WITH(host_port(text), Contains("is no address to listen on"));
  }
}

TEST_CASE("addresses are written so that they can be read", "[util][network]") {
  for (const HostPort& address : {HostPort{"10.0.0.1", 7000}, HostPort{"::1", 65535}}) {
    CHECK(host_port(to_text(address)) == address);
  }
}

TEST_CASE("what an address stands for", "[util][network]") {
  const auto loopback = resolve({"127.0.0.1", 80}).front();
  CHECK(is_loopback(loopback));
  CHECK_FALSE(is_wildcard(loopback));
  CHECK(numeric(loopback) == HostPort{"127.0.0.1", 80});
  CHECK(is_wildcard(resolve({"0.0.0.0", 0}).front()));
  CHECK(is_wildcard(resolve({"::", 0}).front()));
  CHECK(is_loopback(resolve({"::1", 0}).front()));
  CHECK_THROWS_WITH(resolve({"no.such.host.invalid", 1}), Contains("there is no host"));
}

}  // namespace network_test
