// SPDX-License-Identifier: Apache-2.0
#include "protocol/tls_channel.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <limits>
#include <utility>

#include "util/error.hpp"

namespace dlrun::protocol {

namespace {

constexpr std::string_view kIdentity = "dlrun";                ///< name of the key; sent in the clear
constexpr unsigned char kCipher[] = {0x13, 0x01};              ///< TLS_AES_128_GCM_SHA256
constexpr const char* kCipherName = "TLS_AES_128_GCM_SHA256";  ///< name of kCipher
constexpr const char* kNoKey = "the peer does not hold the study's key";

void require(bool is_fine, const char* what) {
  if (!is_fine) throw Error(ErrorKind::internal, std::string("TLS of OpenSSL: ") + what);
}

/// The pre-shared key as OpenSSL wants it: as if an earlier session had left it.
SSL_SESSION* session_of(SSL* channel) {
  const auto* secret = static_cast<const Secret*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(channel)));
  const SSL_CIPHER* cipher = SSL_CIPHER_find(channel, kCipher);
  SSL_SESSION* session = SSL_SESSION_new();
  const bool is_made = session != nullptr && cipher != nullptr &&
                       SSL_SESSION_set1_master_key(session, secret->bytes().data(), secret->bytes().size()) == 1 &&
                       SSL_SESSION_set_cipher(session, cipher) == 1 &&
                       SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1;
  if (is_made) return session;
  SSL_SESSION_free(session);
  return nullptr;
}

/// Offers the key, on a worker's side.
int use_session(SSL* channel, const EVP_MD* hash, const unsigned char** identity, std::size_t* size,
                SSL_SESSION** session) {
  *session = nullptr;
  if (hash != nullptr && EVP_MD_get_type(hash) != NID_sha256) return 1;  // no key, and the handshake fails
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *size = kIdentity.size();
  *session = session_of(channel);
  return *session != nullptr ? 1 : 0;
}

/// Finds the key that a worker names, on a driver's side.
int find_session(SSL* channel, const unsigned char* identity, std::size_t size, SSL_SESSION** session) {
  *session = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(identity), size) != kIdentity) return 1;
  *session = session_of(channel);
  return *session != nullptr ? 1 : 0;
}

/// No certificate makes up for the key.
int refuse_certificate(X509_STORE_CTX*, void*) { return 0; }

void restrict_to_one_way(SSL_CTX* context) {
  require(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1, "TLS 1.3 is missing");
  require(SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1, "TLS 1.3 is missing");
  require(SSL_CTX_set_ciphersuites(context, kCipherName) == 1, "its cipher is missing");
  require(SSL_CTX_set1_groups_list(context, "X25519") == 1, "X25519 is missing");
  require(SSL_CTX_set_num_tickets(context, 0) == 1, "tickets cannot be turned off");
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT | SSL_OP_ALLOW_NO_DHE_KEX);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_early_data(context, 0);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
}

}  // namespace

struct TlsContext::State {
  Side side;
  Secret secret;
  SSL_CTX* context = nullptr;
  ~State() { SSL_CTX_free(context); }
};

TlsContext::TlsContext(Side side, const Secret& secret)
    : state_(new State{side, secret, SSL_CTX_new(side == Side::driver ? TLS_server_method() : TLS_client_method())}) {
  SSL_CTX* context = state_->context;
  require(context != nullptr, "no context");
  restrict_to_one_way(context);
  SSL_CTX_set_app_data(context, &state_->secret);
  if (side == Side::driver) {
    SSL_CTX_set_psk_find_session_callback(context, find_session);
  } else {
    SSL_CTX_set_psk_use_session_callback(context, use_session);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(context, refuse_certificate, nullptr);
  }
}

TlsContext::~TlsContext() = default;

struct TlsChannel::State {
  SSL* ssl;
  BIO* in;   ///< owned by ssl
  BIO* out;  ///< owned by ssl
  ~State() { SSL_free(ssl); }
};

TlsChannel::TlsChannel(const TlsContext& context)
    : state_(new State{SSL_new(context.state_->context), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())}),
      is_driver_(context.state_->side == Side::driver) {
  require(state_->ssl != nullptr && state_->in != nullptr && state_->out != nullptr, "no memory");
  SSL_set_bio(state_->ssl, state_->in, state_->out);
  if (is_driver_) {
    SSL_set_accept_state(state_->ssl);
  } else {
    SSL_set_connect_state(state_->ssl);
    shake_hands();
  }
}

TlsChannel::~TlsChannel() = default;

void TlsChannel::fail(const std::string& what) {
  is_broken_ = true;
  ERR_clear_error();
  throw Error(ErrorKind::outside, what);
}

std::string TlsChannel::receive(std::string_view bytes) {
  if (is_broken_) fail("the connection has broken before");
  if (!is_established_) {
    handshake_bytes_ += bytes.size();
    if (handshake_bytes_ > kMaxHandshake) fail("the peer says much and proves nothing");
  }
  if (!bytes.empty()) {
    require(BIO_write(state_->in, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size()),
            "no memory");
  }
  if (!is_established_) shake_hands();
  return is_established_ ? decrypt() : std::string();
}

void TlsChannel::shake_hands() {
  ERR_clear_error();
  const int done = SSL_do_handshake(state_->ssl);
  if (done != 1) {
    if (SSL_get_error(state_->ssl, done) == SSL_ERROR_WANT_READ) return;
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    return fail(std::string(kNoKey) + ", or is no dlrun" + (reason == nullptr ? "" : std::string(": ") + reason));
  }
  if (SSL_session_reused(state_->ssl) != 1) fail(kNoKey);  // the session was made without the key
  is_established_ = true;
  flush_waiting();
}

void TlsChannel::flush_waiting() {
  const std::string plain = std::exchange(waiting_, {});
  send(plain);
}

std::string TlsChannel::decrypt() {
  std::string plain;
  char buffer[16384];
  for (;;) {
    ERR_clear_error();
    std::size_t got = 0;
    const int done = SSL_read_ex(state_->ssl, buffer, sizeof buffer, &got);
    if (done == 1) {
      plain.append(buffer, got);
      continue;
    }
    const int why = SSL_get_error(state_->ssl, done);
    if (why == SSL_ERROR_ZERO_RETURN) has_ended_ = true;
    if (why == SSL_ERROR_ZERO_RETURN || why == SSL_ERROR_WANT_READ) return plain;
    fail("what came over the connection was not what the peer wrote");
  }
}

void TlsChannel::send(std::string_view plain) {
  if (plain.empty() || is_broken_) return;
  if (!is_established_) {
    waiting_ += plain;
    return;
  }
  ERR_clear_error();
  std::size_t written = 0;
  const int done = SSL_write_ex(state_->ssl, plain.data(), plain.size(), &written);
  if (done != 1 || written != plain.size()) fail("the connection cannot be written");
}

std::string TlsChannel::take_output() {
  std::string bytes;
  const bool may_speak = !is_driver_ || SSL_session_reused(state_->ssl) == 1;
  const auto size = BIO_ctrl_pending(state_->out);
  if (size == 0 || is_broken_ || !may_speak) return bytes;
  require(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()), "too much at once");
  bytes.resize(size);
  require(BIO_read(state_->out, bytes.data(), static_cast<int>(size)) == static_cast<int>(size), "no memory");
  return bytes;
}

}  // namespace dlrun::protocol
