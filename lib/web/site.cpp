// SPDX-License-Identifier: Apache-2.0
#include "web/site.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "page/page.hpp"
#include "page/policy.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::web {

namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kStudy = "study/";
constexpr std::string_view kVersion = "/version", kIndexVersion = "version";

/// The browser keeps nothing, tells nobody where it was, and runs nothing but our scripts.
std::map<std::string, std::string> guards() {
  return {{"Cache-Control", "no-store"},
          {"Content-Security-Policy", page::live_policy() + "; frame-ancestors 'none'"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Referrer-Policy", "no-referrer"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"}};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

/// "127.0.0.1:80" of "127.0.0.1": browsers leave out the port that HTTP has without one.
std::string with_port(const std::string& host) { return host.find(':') == std::string::npos ? host + ":80" : host; }

/// From our own pages, or typed: no page of somebody else.
bool is_ours(const Request& request, const std::vector<std::string>& hosts) {
  if (std::find(hosts.begin(), hosts.end(), with_port(request.host)) == hosts.end()) return false;
  if (!request.origin.empty() && request.origin != "http://" + request.host) return false;
  return request.fetch_site.empty() || request.fetch_site == "none" || request.fetch_site == "same-origin";
}

/// "17-4096" of a file's last change and size; "-" where there is none.
std::string stamp_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return "-";
  return fmt::format("{}.{}-{}", info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size);
}

Answer failed(int status, const std::string& text) { return {status, kPlain, text + "\n"}; }

}  // namespace

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw Error(ErrorKind::outside, "the system gives no random bytes");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::vector<std::string> Site::names() const {
  return options_.studies.empty() ? storage::study_names(options_.store) : options_.studies;
}

bool Site::shows(const std::string& name) const {
  const std::vector<std::string> names = this->names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The files of a study change with each of its commits. Its lock is free as soon as its driver has ended, however that
/// was; the file of the lock does not change then.
std::string Site::version_of(const std::string& name) const {
  std::string text;
  for (const char* ending : {".db", ".db-wal", ".db-snapshot", ".lock"})
    text += stamp_of(storage::study_file(options_.store, name, ending)) + " ";
  const bool is_held = storage::WriterLock::is_held(storage::study_file(options_.store, name, ".lock"));
  return text + (is_held ? "held" : "free");
}

/// Changes with each study, and where one comes or goes.
std::string Site::version_of_index() const {
  std::string text;
  for (const std::string& name : names()) text += fmt::format("{} {}\n", name, version_of(name));
  return Sha256::hex_of(text);
}

Answer Site::index() const {
  return {200, kHtml, page::html_index(options_.store, options_.studies, version_of_index())};
}

Answer Site::study(const std::string& name) {
  const std::string version = version_of(name);
  Cached& cached = pages_[name];
  if (cached.version != version) {
    cached.page = page::html_page({.store = options_.store,
                                   .studies = {name},
                                   .is_drawn = false,
                                   .live = page::Live{version, options_.plotly.empty() ? "" : "../plotly.js"}});
    cached.version = version;
  }
  return {200, kHtml, cached.page};
}

Answer Site::page_for(std::string_view path) {
  if (path.empty()) return index();
  if (path == kIndexVersion) return {200, kPlain, version_of_index()};
  if (path == "plotly.js" && !options_.plotly.empty())
    return {200, "text/javascript; charset=utf-8", options_.plotly, {{"Cache-Control", "private, max-age=86400"}}};
  if (!path.starts_with(kStudy)) return failed(404, "not found");
  path.remove_prefix(std::string_view(kStudy).size());
  const bool asks_version = path.ends_with(kVersion);
  if (asks_version) path.remove_suffix(kVersion.size());
  const std::string name(path);
  if (!shows(name)) return failed(404, "not found");
  return asks_version ? Answer{200, kPlain, version_of(name)} : study(name);
}

Answer Site::answer(const Request& request) {
  Answer answer;
  const std::string_view target = request.target;
  const std::size_t begin = 1, end = begin + options_.token.size();
  const bool has_token = target.size() > end && target[0] == '/' && target[end] == '/' &&
                         equal_in_constant_time(target.substr(begin, options_.token.size()), options_.token);
  if (!is_ours(request, options_.hosts)) {
    answer = failed(403, "this page answers to its own address alone");
  } else if (request.method != "GET" && request.method != "HEAD") {
    answer = failed(405, "this page can only be read");
  } else if (!has_token) {
    answer = failed(404, "not found");
  } else {
    try {
      answer = page_for(target.substr(end + 1));
    } catch (const std::exception& error) {
      answer = failed(500, error.what());
    }
  }
  answer.headers.merge(guards());
  return answer;
}

}  // namespace dlrun::web
