// SPDX-License-Identifier: Apache-2.0
#include "page/policy.hpp"

#include <fmt/format.h>

#include "page/assets.hpp"
#include "page/packed.hpp"
#include "util/sha256.hpp"

namespace dlrun::page {

namespace {

/// Browsers read every line end as a line feed before they hash.
std::string with_line_feeds(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') out += text[i];
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) out += '\n';
  }
  return out;
}

/// Inline styles stay allowed, for Plotly writes them.
std::string policy(const std::string& scripts, const char* further) {
  return fmt::format(
      "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src {};{} base-uri 'none'; "
      "form-action 'none'",
      scripts, further);
}

}  // namespace

std::string script_source(std::string_view script) {
  const Sha256::Digest digest =
      script.find('\r') == std::string_view::npos ? Sha256::of(script) : Sha256::of(with_line_feeds(script));
  return fmt::format("'sha256-{}'", base64({reinterpret_cast<const char*>(digest.data()), digest.size()}));
}

const std::string& own_script() {
  static const std::string text = fmt::format("\n{}\n", page_js());
  return text;
}

std::string file_policy(std::string_view plotly) {
  const std::string own = script_source(own_script());
  return policy(plotly.empty() ? own : own + " " + script_source(plotly), "");
}

const std::string& live_policy() {
  static const std::string text = policy("'self' " + script_source(own_script()), " connect-src 'self';");
  return text;
}

}  // namespace dlrun::page
