// SPDX-License-Identifier: Apache-2.0
#include "protocol/tls_channel.hpp"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "support/catch.hpp"
#include "util/error.hpp"

namespace tls_channel_test {

using namespace dlrun;
using namespace dlrun::protocol;
using Catch::Matchers::Contains;

namespace {

Secret key(unsigned char filler) {
  Secret::Bytes bytes;
  bytes.fill(filler);
  return Secret(bytes);
}

/// Carries what one side has to say to the other in pieces of `step` bytes; what it decrypts to.
std::string carry(TlsChannel& from, TlsChannel& to, std::size_t step) {
  const std::string bytes = from.take_output();
  std::string plain;
  for (std::size_t i = 0; i < bytes.size(); i += step) plain += to.receive(bytes.substr(i, step));
  return plain;
}

struct Pair {
  TlsContext driver_context{Side::driver, key(1)};
  TlsContext worker_context{Side::worker, key(1)};
  TlsChannel driver{driver_context};
  TlsChannel worker{worker_context};

  void shake_hands(std::size_t step = 65536) {
    for (int i = 0; i < 3; ++i) {
      carry(worker, driver, step);
      carry(driver, worker, step);
    }
  }
};

/// A library's server that holds no key, but a certificate of its own making.
class CertifiedServer {
 public:
  CertifiedServer() : context_(SSL_CTX_new(TLS_server_method())) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    REQUIRE(X509_sign(certificate, key, EVP_sha256()) > 0);
    REQUIRE(SSL_CTX_use_certificate(context_, certificate) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey(context_, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    ssl_ = SSL_new(context_);
    SSL_set_bio(ssl_, in_, out_);
    SSL_set_accept_state(ssl_);
  }
  ~CertifiedServer() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  std::string answer(const std::string& bytes) {
    BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
    SSL_do_handshake(ssl_);
    std::string out(BIO_ctrl_pending(out_), '\0');
    if (!out.empty()) BIO_read(out_, out.data(), static_cast<int>(out.size()));
    return out;
  }

 private:
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  BIO* in_ = BIO_new(BIO_s_mem());
  BIO* out_ = BIO_new(BIO_s_mem());
};

}  // namespace

TEST_CASE("two that hold the key understand each other", "[protocol][tls]") {
  const std::size_t step = GENERATE(1, 2, 7, 65536);
  Pair pair;
  pair.worker.send("hello");  // waits for the handshake
  CHECK(carry(pair.worker, pair.driver, step).empty());
  CHECK(carry(pair.driver, pair.worker, step).empty());
  CHECK(pair.worker.is_established());
  CHECK(carry(pair.worker, pair.driver, step) == "hello");
  CHECK(pair.driver.is_established());
  const std::string much(100'000, 'x');  // several records
  pair.driver.send("welcome ");
  pair.driver.send(much);
  CHECK((carry(pair.driver, pair.worker, step) == "welcome " + much));
  pair.worker.send("result");
  CHECK(carry(pair.worker, pair.driver, step) == "result");
}

TEST_CASE("what is on the wire does not show what is said", "[protocol][tls]") {
  Pair pair;
  pair.shake_hands();
  pair.worker.send("a rather secret text");
  CHECK(pair.worker.take_output().find("secret") == std::string::npos);
}

TEST_CASE("without the key a driver is silent", "[protocol][tls]") {
  const TlsContext context(Side::driver, key(1));
  TlsChannel driver(context);
  SECTION("another key") {
    const TlsContext other(Side::worker, key(2));
    TlsChannel worker(other);
    const std::string first = worker.take_output();
    CHECK_FALSE(first.empty());
    CHECK_THROWS_WITH(driver.receive(first), Contains("does not hold the study's key"));
  }
  SECTION("a key that differs in one bit of one byte") {
    const std::size_t at = GENERATE(range(std::size_t{0}, Secret::Bytes().size()));
    Secret::Bytes bytes;
    bytes.fill(1);
    bytes[at] ^= 0x80;
    const TlsContext other(Side::worker, Secret(bytes));
    TlsChannel worker(other);
    CHECK_THROWS_WITH(driver.receive(worker.take_output()), Contains("does not hold the study's key"));
  }
  SECTION("nonsense, HTTP, an older TLS") {
    const std::string text = GENERATE(std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100, '\xff'),
                                      std::string("DLR1"), std::string(5, '\0'),
                                      std::string("\x16\x03\x01\x00\x2a\x01\x00\x00\x26\x03\x03", 11) +
                                          std::string(32, 'r') + std::string("\x00\x00\x02\x00\x2f\x01\x00", 7));
    try {  // what may still become a record is waited for
      const std::string plain = driver.receive(text);
      CHECK(plain.empty());
    } catch (const Error&) {
    }
  }
  SECTION("much, and no proof") {
    std::string record("\x16\x03\x01\x3f\xff", 5);  // announces 16 KiB
    CHECK_THROWS_WITH(driver.receive(record + std::string(5000, 'x')), Contains("proves nothing"));
  }
  CHECK(driver.take_output().empty());
  CHECK_FALSE(driver.is_established());
}

/// A library's client that holds no key at all, or offers certificates only.
TEST_CASE("an ordinary TLS 1.3 client is not answered", "[protocol][tls]") {
  const TlsContext context(Side::driver, key(1));
  TlsChannel driver(context);
  SSL_CTX* plain = SSL_CTX_new(TLS_client_method());
  SSL* client = SSL_new(plain);
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(client, BIO_new(BIO_s_mem()), out);
  SSL_set_connect_state(client);
  SSL_do_handshake(client);
  std::string hello(BIO_ctrl_pending(out), '\0');
  BIO_read(out, hello.data(), static_cast<int>(hello.size()));
  CHECK(hello.size() > 100);
  CHECK_THROWS_AS(driver.receive(hello), Error);
  CHECK(driver.take_output().empty());
  SSL_free(client);
  SSL_CTX_free(plain);
}

TEST_CASE("a driver that does not hold the key is found out", "[protocol][tls]") {
  const TlsContext context(Side::driver, key(2));
  const TlsContext other(Side::worker, key(1));
  TlsChannel driver(context);
  TlsChannel worker(other);
  CHECK_THROWS_AS(driver.receive(worker.take_output()), Error);
  CHECK_THROWS_AS(worker.receive("HTTP/1.1 200 OK\r\n\r\n"), Error);
  CHECK_FALSE(worker.is_established());
}

/// Whoever stands in a driver's place could otherwise hand workers orders of its own.
TEST_CASE("a certificate does not make up for the key", "[protocol][tls]") {
  const TlsContext context(Side::worker, key(1));
  TlsChannel worker(context);
  CertifiedServer server;
  worker.send("a worker's hello");
  const std::string answer = server.answer(worker.take_output());
  REQUIRE(answer.size() > 300);  // it goes on with its certificate
  CHECK_THROWS_WITH(worker.receive(answer), Contains("certificate"));
  CHECK_FALSE(worker.is_established());
  CHECK(worker.take_output().empty());
}

TEST_CASE("a replayed first flight gets no further", "[protocol][tls]") {
  Pair pair;
  const std::string first = pair.worker.take_output();
  pair.driver.receive(first);
  pair.worker.receive(pair.driver.take_output());
  pair.worker.send("hello");
  const std::string second = pair.worker.take_output();
  CHECK(pair.driver.receive(second) == "hello");
  TlsChannel again(pair.driver_context);
  CHECK(again.receive(first).empty());
  CHECK_THROWS_AS(again.receive(second), Error);
  CHECK_FALSE(again.is_established());
}

TEST_CASE("what was changed on the way, repeated or cut is noticed", "[protocol][tls]") {
  Pair pair;
  pair.shake_hands();
  pair.worker.send("first");
  std::string bytes = pair.worker.take_output();
  SECTION("a bit") {
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    CHECK_THROWS_WITH(pair.driver.receive(bytes), Contains("not what the peer wrote"));
    CHECK_THROWS_AS(pair.driver.receive(bytes), Error);
  }
  SECTION("a record twice") {
    CHECK(pair.driver.receive(bytes) == "first");
    CHECK_THROWS_AS(pair.driver.receive(bytes), Error);
  }
  SECTION("half a record says nothing yet") {
    CHECK(pair.driver.receive(bytes.substr(0, bytes.size() - 1)).empty());
    CHECK(pair.driver.receive(bytes.substr(bytes.size() - 1)) == "first");
  }
}

}  // namespace tls_channel_test
