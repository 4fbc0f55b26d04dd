// SPDX-License-Identifier: Apache-2.0
// Pages of `dlrun serve`: requests that may read them, and the answers.
#include "web/site.hpp"

#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace site_test {

using namespace dlrun;
using support::TempFolder;
using web::Answer;
using web::Request;
using web::Site;

namespace {

constexpr const char* kHost = "127.0.0.1:8080";
constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

space::Space sample_space() {
  return space::Space({space::Parameter{.name = "lr", .at = "optimizer.lr", .low = 1e-4, .high = 1, .log = true}});
}

std::unique_ptr<storage::Store> write_study(const std::filesystem::path& folder, const std::string& name) {
  storage::StudyRow row = support::sample_row(name);
  row.spec["space"] = {{{"name", "lr"},
                        {"at", "optimizer.lr"},
                        {"type", "float"},
                        {"low", 1e-4},
                        {"high", 1.0},
                        {"scale", "log"},
                        {"step", nullptr}}};
  row.spec["trial"]["epochs"] = 1;
  auto store = storage::Store::create(folder, row, sample_space());
  store->study_state("running", "");
  support::write_trial(*store, 0, 0.5, {0.1});
  return store;
}

Site site_of(const std::filesystem::path& folder, const std::vector<std::string>& studies = {}) {
  return Site(
      {.store = folder, .studies = studies, .plotly = "plots();", .token = kToken, .hosts = {kHost, "localhost:8080"}});
}

Request get(const std::string& path) {
  return {
      .method = "GET", .target = "/" + std::string(kToken) + "/" + path, .host = kHost, .origin = "", .fetch_site = ""};
}

}  // namespace

TEST_CASE("the pages of a store: its studies, a study, its version, plotly.js", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  CHECK_THAT(site.answer(get("")).body, Contains("<a href=\"study/sample\">sample</a>"));
  const Answer page = site.answer(get("study/sample"));
  CHECK(page.status == 200);
  CHECK(page.type == "text/html; charset=utf-8");
  CHECK_THAT(page.body, Contains("The only trial reached <code>val.accuracy</code> 0.5"));
  CHECK_THAT(page.body, Contains("<script src=\"../plotly.js\"></script>"));
  const std::string version = site.answer(get("study/sample/version")).body;
  CHECK_THAT(page.body, Contains("<body data-version=\"" + version + "\">"));
  CHECK(site.answer(get("plotly.js")).body == "plots();");
}

// One damaged study of several that were named took the list of all of them away.
TEST_CASE("the list of named studies shows those that can be read, and names the others", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample"), other = write_study(folder.path(), "other");
  write_file(folder.path() / "studies" / "broken.db", "");
  Site site = site_of(folder.path(), {"broken", "other", "sample"});
  const Answer list = site.answer(get(""));
  CHECK(list.status == 200);
  CHECK_THAT(list.body, Contains("study/sample") && Contains("study/other") && Contains("studies that cannot be read"));
  CHECK(site.answer(get("study/broken")).status == 500);
}

TEST_CASE("a result changes the version and the page", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  const std::string before = site.answer(get("study/sample/version")).body;
  CHECK(site.answer(get("study/sample/version")).body == before);
  support::write_trial(*store, 1, 0.75, {0.2});
  CHECK(site.answer(get("study/sample/version")).body != before);
  CHECK_THAT(site.answer(get("study/sample")).body, Contains("Trial 1 is the best of 2 trials"));
}

TEST_CASE("the list of studies changes its version with a result, and with a new study", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  const std::string first = site.answer(get("version")).body;
  CHECK_THAT(site.answer(get("")).body, Contains("<body data-version=\"" + first + "\">"));
  CHECK(site.answer(get("version")).body == first);
  support::write_trial(*store, 1, 0.75, {0.2});
  const std::string second = site.answer(get("version")).body;
  CHECK(second != first);
  const auto other = write_study(folder.path(), "other");
  CHECK(site.answer(get("version")).body != second);
  CHECK_THAT(site.answer(get("")).body, Contains("<a href=\"study/other\">other</a>"));
  CHECK(site_of(folder.path(), {"sample"}).answer(get("version")).body != site.answer(get("version")).body);
}

// The kernel frees the lock of a driver that was killed, and no file changes: pages said "running" for good.
TEST_CASE("a driver that was killed changes the version, and the page says that the study was interrupted", "[web]") {
  const TempFolder folder;
  write_study(folder.path(), "sample").reset();
  Site site = site_of(folder.path());
  auto lock = std::make_unique<storage::WriterLock>(storage::study_file(folder.path(), "sample", ".lock"), "sample");
  site.answer(get("study/sample"));  // SQLite leaves a file beside the database that is read first
  const std::string study = site.answer(get("study/sample/version")).body, list = site.answer(get("version")).body;
  CHECK_THAT(site.answer(get("study/sample")).body, Contains("<dd>running</dd>"));
  CHECK(site.answer(get("study/sample/version")).body == study);
  lock.reset();
  CHECK(site.answer(get("study/sample/version")).body != study);
  CHECK(site.answer(get("version")).body != list);
  CHECK_THAT(site.answer(get("study/sample")).body, Contains("<dd>interrupted</dd>"));
}

TEST_CASE("nothing is found without the whole token", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  const std::string token = kToken;
  for (const std::string& target :
       {std::string("/"), std::string("/study/sample"), "/" + token, "/" + token.substr(1) + "/",
        std::string("/version"), "/" + token.substr(0, 31) + "0/", "/" + token + "0/", "//" + token + "/",
        std::string()}) {
    INFO(target);
    Request request = get("");
    request.target = target;
    CHECK(site.answer(request).status == 404);
  }
}

TEST_CASE("a page of somebody else is refused", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  const auto status = [&](auto change) {
    Request request = get("study/sample");
    change(request);
    return site.answer(request).status;
  };
  CHECK(status([](Request& r) { r.host = "evil.example:8080"; }) == 403);  // a name that was bound to 127.0.0.1 anew
  CHECK(status([](Request& r) { r.host = "127.0.0.1:8081"; }) == 403);
  CHECK(status([](Request& r) { r.host = ""; }) == 403);
  CHECK(status([](Request& r) { r.origin = "http://evil.example"; }) == 403);
  CHECK(status([](Request& r) { r.origin = "null"; }) == 403);
  CHECK(status([](Request& r) { r.fetch_site = "cross-site"; }) == 403);
  CHECK(status([](Request& r) { r.fetch_site = "same-site"; }) == 403);
  CHECK(status([](Request& r) {
          r.host = "localhost:8080";
          r.origin = "http://localhost:8080";
        }) == 200);
  CHECK(status([](Request& r) { r.fetch_site = "same-origin"; }) == 200);
}

// Browsers send `Host: 127.0.0.1` for port 80, and every page was refused there.
TEST_CASE("the port may be left out of the host where it is 80, and nowhere else", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  const auto status = [&](const std::string& served, const std::string& host) {
    Site site({.store = folder.path(), .token = kToken, .hosts = {served}});
    Request request = get("study/sample");
    request.host = host;
    request.origin = "http://" + host;
    return site.answer(request).status;
  };
  CHECK(status("127.0.0.1:80", "127.0.0.1") == 200);
  CHECK(status("127.0.0.1:80", "127.0.0.1:80") == 200);
  CHECK(status("127.0.0.1:8080", "127.0.0.1") == 403);
  CHECK(status("127.0.0.1:80", "evil.example") == 403);
}

TEST_CASE("pages can only be read", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"}) {
    Request request = get("");
    request.method = method;
    CHECK(site.answer(request).status == 405);
  }
}

TEST_CASE("paths do not leave the studies that are shown", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  const auto other = write_study(folder.path(), "other");
  Site site = site_of(folder.path(), {"sample"});
  CHECK(site.answer(get("study/sample")).status == 200);
  for (const char* path : {"study/other", "study/other/version", "study/../sample", "study/", "study/sample/",
                           "study/sample/x", "../", "study/..%2fsample", "study/sample?x=1"}) {
    INFO(path);
    CHECK(site.answer(get(path)).status == 404);
  }
  CHECK_THAT(site.answer(get("")).body, !Contains("study/other"));
}

TEST_CASE("every answer forbids frames, referrers, foreign scripts and caches", "[web]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "sample");
  Site site = site_of(folder.path());
  for (const Answer& answer : {site.answer(get("")), site.answer(get("nothing")), site.answer(Request{})}) {
    CHECK(answer.headers.at("Referrer-Policy") == "no-referrer");
    CHECK(answer.headers.at("Cache-Control") == "no-store");
    CHECK(answer.headers.at("X-Content-Type-Options") == "nosniff");
    CHECK_THAT(answer.headers.at("Content-Security-Policy"),
               Contains("default-src 'none'") && Contains("script-src 'self' 'sha256-") &&
                   Contains("connect-src 'self'") && Contains("frame-ancestors 'none'"));
  }
}

TEST_CASE("tokens are long and never the same", "[web]") {
  const std::string token = web::new_token();
  CHECK(token.size() == 32);
  CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(web::new_token() != token);
}

}  // namespace site_test
