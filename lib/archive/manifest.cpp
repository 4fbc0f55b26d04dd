// SPDX-License-Identifier: Apache-2.0
#include "archive/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "storage/paths.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/whole.hpp"

namespace dlrun::archive {

namespace {

constexpr std::string_view kStudies = "studies/", kArtifacts = "artifacts/", kRows = ".db";
constexpr std::size_t kMostName = 100;
constexpr std::int64_t kMostBytes = std::int64_t(1) << 62;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::store, fmt::format("the archive's {} {}", kManifest, why),
              "the file was damaged or edited; take it anew");
}

bool is_hash(std::string_view text) {
  return text.size() == kHashLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_extension(std::string_view text) {
  return text.empty() ||
         (text[0] == '.' && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.") == std::string_view::npos);
}

Json json_of(const ArchivedStudy& s) {
  return {{"name", s.name},     {"hash", s.hash},         {"created", s.created}, {"state", s.state},
          {"trials", s.trials}, {"log_rows", s.log_rows}, {"head", s.head}};
}

Json json_of(const Member& m) { return {{"name", m.name}, {"bytes", m.bytes}, {"sha256", m.sha256}}; }

template <class Items>
std::string lines_of(const Items& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n" : ",\n") + to_text(json_of(item));
  return text;
}

ArchivedStudy study_from(const Json& json) {
  return {json.at("name").get<std::string>(),     json.at("hash").get<std::string>(),
          json.at("created").get<std::string>(),  json.at("state").get<std::string>(),
          whole<std::int64_t>(json.at("trials")), whole<std::int64_t>(json.at("log_rows")),
          json.at("head").get<std::string>()};
}

Member member_from(const Json& json) {
  return {json.at("name").get<std::string>(), whole<std::int64_t>(json.at("bytes")),
          json.at("sha256").get<std::string>()};
}

bool is_study(const Manifest& manifest, const Member& member) {
  return std::any_of(manifest.studies.begin(), manifest.studies.end(),
                     [&](const ArchivedStudy& study) { return member.name == member_of(study.name); });
}

void check(const Manifest& manifest, const Member& member) {
  if (artifact_of(member).empty() && !is_study(manifest, member))
    refuse(fmt::format("names a member '{}', which is neither a study nor an artifact", member.name));
  if (!is_hash(member.sha256)) refuse(fmt::format("has no SHA-256 of '{}'", member.name));
  if (!is_study(manifest, member) && artifact_of(member).substr(0, kHashLength) != member.sha256)
    refuse(fmt::format("says that '{}' has another content than its name says", member.name));
  if (member.bytes < 0) refuse(fmt::format("says that '{}' has {} bytes", member.name, member.bytes));
}

void check(const Manifest& manifest) {
  if (manifest.studies.empty()) refuse("names no study");
  for (const ArchivedStudy& study : manifest.studies) {
    if (!storage::is_valid_name(study.name)) refuse(fmt::format("names a study '{}'", study.name));
  }
  std::set<std::string> names;
  std::int64_t sum = 0;
  for (const Member& member : manifest.members) {
    check(manifest, member);
    if (!names.insert(member.name).second) refuse(fmt::format("names '{}' twice", member.name));
    if (member.bytes > kMostBytes - sum) refuse(fmt::format("says that '{}' has {} bytes", member.name, member.bytes));
    sum += member.bytes;
  }
  for (const ArchivedStudy& study : manifest.studies) {
    if (names.count(member_of(study.name)) == 0) refuse(fmt::format("has no member of study '{}'", study.name));
  }
}

Manifest read(const Json& json) {
  Manifest manifest;
  manifest.format = whole<int>(json.at("format"));
  if (manifest.format > kFormat) {
    throw Error(
        ErrorKind::store,
        fmt::format("the archive has format {}, but this dlrun knows up to format {}", manifest.format, kFormat),
        "use the dlrun that wrote it, or a newer one");
  }
  manifest.dlrun = json.at("dlrun").get<std::string>();
  manifest.schema = whole<int>(json.at("schema"));
  for (const Json& study : json.at("studies")) manifest.studies.push_back(study_from(study));
  for (const Json& member : json.at("members")) manifest.members.push_back(member_from(member));
  return manifest;
}

}  // namespace

std::string member_of(const std::string& study) { return fmt::format("{}{}{}", kStudies, study, kRows); }

std::string artifact_of(const Member& member) {
  const std::string_view name = member.name;
  if (name.substr(0, kArtifacts.size()) != kArtifacts) return {};
  const std::string_view file = name.substr(kArtifacts.size());
  const bool is_ours = file.size() <= kMostName && is_hash(file.substr(0, kHashLength)) &&
                       is_extension(file.substr(std::min(kHashLength, file.size())));
  return is_ours ? std::string(file) : std::string();
}

std::string text_of(const Manifest& m) {
  return fmt::format("{{\"format\":{},\"dlrun\":{},\"schema\":{},\"studies\":[{}],\"members\":[{}]}}\n", m.format,
                     to_text(Json(m.dlrun)), m.schema, lines_of(m.studies), lines_of(m.members));
}

Manifest manifest_from(const std::string& text) {
  Json json;
  try {
    json = parse_json(text, kManifest);
  } catch (const Error&) {
    refuse("is no JSON");
  }
  Manifest manifest;
  try {
    manifest = read(json);
  } catch (const Json::exception&) {
    refuse("lacks an entry, or has one of another type");
  }
  check(manifest);
  return manifest;
}

}  // namespace dlrun::archive
