// SPDX-License-Identifier: Apache-2.0
// Pages of a store's studies, as answers to requests. No socket: tests ask it directly.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::web {

struct Request {
  std::string method, target;  ///< "GET", "/TOKEN/study/digits"
  std::string host, origin;    ///< headers; empty: not sent
  std::string fetch_site;      ///< Sec-Fetch-Site; empty: an older browser
};

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::map<std::string, std::string> headers = {};
};

struct SiteOptions {
  std::filesystem::path store;
  std::vector<std::string> studies;  ///< the only ones shown; empty: all of the store
  std::string plotly;                ///< text of plotly.min.js; empty: not installed
  std::string token;                 ///< secret part of every path
  std::vector<std::string> hosts;    ///< "127.0.0.1:8080", …: the names that requests may use
};

/// Reading only. Paths below /TOKEN/:
///   (empty)              the studies, with links; asks for its version as a study's page does
///   version              text that changes with the studies
///   study/NAME           a study's page, which asks for its version and replaces what has changed
///   study/NAME/version   text that changes with the study
///   plotly.js
class Site {
 public:
  explicit Site(SiteOptions options) : options_(std::move(options)) {}

  /// Errors: none; a study that cannot be read is a page that says why. A request from elsewhere is refused (403), a
  /// path without the token is not found (404), as is all else.
  Answer answer(const Request& request);

 private:
  Answer page_for(std::string_view path);
  Answer study(const std::string& name);
  Answer index() const;
  bool shows(const std::string& name) const;
  std::vector<std::string> names() const;
  std::string version_of(const std::string& name) const;
  std::string version_of_index() const;

  struct Cached {
    std::string version, page;
  };
  SiteOptions options_;
  std::map<std::string, Cached> pages_;  ///< by study: the newest page
};

/// 128 random bits as hexadecimal digits. @throws Error(outside)
std::string new_token();

}  // namespace dlrun::web
