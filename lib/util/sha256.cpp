// SPDX-License-Identifier: Apache-2.0
#include "util/sha256.hpp"

#include <openssl/evp.h>

#include "util/error.hpp"

namespace dlrun {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

namespace {
void require(int ok) {
  if (ok != 1) throw Error(ErrorKind::internal, "SHA-256 of OpenSSL failed");
}

/// Looked up once: OpenSSL 3 looks EVP_sha256() up again for every hash.
const EVP_MD* sha256() {
  static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> found(EVP_MD_fetch(nullptr, "SHA256", nullptr),
                                                                     &EVP_MD_free);
  return found.get();
}

}  // namespace

Sha256::Sha256() : state_(std::make_unique<State>()) { require(EVP_DigestInit_ex(state_->context, sha256(), nullptr)); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) { require(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size())); }

Sha256::Digest Sha256::finish() {
  Digest digest{};
  require(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr));
  return digest;
}

std::string Sha256::finish_hex() { return to_hex(finish()); }

Sha256::Digest Sha256::of(std::string_view bytes) {
  thread_local State state;  // OpenSSL's contexts cost as much as a short hash
  Digest digest{};
  require(EVP_DigestInit_ex(state.context, sha256(), nullptr));
  require(EVP_DigestUpdate(state.context, bytes.data(), bytes.size()));
  require(EVP_DigestFinal_ex(state.context, digest.data(), nullptr));
  return digest;
}

std::string Sha256::hex_of(std::string_view bytes) { return to_hex(of(bytes)); }

std::string Sha256::to_hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace dlrun
