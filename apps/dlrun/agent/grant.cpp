// SPDX-License-Identifier: Apache-2.0
#include "agent/grant.hpp"

#include <fmt/format.h>

#include "study_source.hpp"
#include "util/error.hpp"

namespace dlrun::cli::agent {

namespace fs = std::filesystem;

namespace {

fs::path root_of(const Arguments& arguments) {
  const std::string written = arguments.text("root", ".");
  std::error_code fault;
  fs::path root = fs::canonical(written, fault);
  if (!fault && fs::is_directory(root)) return root;
  throw Error(ErrorKind::usage, "--root '" + written + "' is no folder", "name the folder with the studies");
}

std::vector<fs::path> data_of(const Arguments& arguments) {
  std::vector<fs::path> out;
  for (const std::string& folder : arguments.list("data")) {
    if (!fs::is_directory(folder)) throw Error(ErrorKind::usage, "--data '" + folder + "' is no folder");
    out.push_back(fs::absolute(folder));
  }
  for (const fs::path& folder : usual_data_folders()) out.push_back(fs::absolute(folder));
  return out;
}

/// A limit of something that agents may not do bounds nothing.
void require_right(const Arguments& arguments, const std::string& limit, bool has_right, const std::string& right) {
  if (arguments.has(limit) && !has_right)
    throw Error(ErrorKind::usage, fmt::format("--{} changes nothing without --allow {}", limit, right),
                fmt::format("add --allow {}, or leave it out", right));
}

}  // namespace

Grant grant_of(const Arguments& arguments) {
  Grant out{.store = fs::absolute(arguments.store()), .root = root_of(arguments), .data = data_of(arguments)};
  for (const std::string& name : arguments.list("allow")) {
    if (name == "propose" || name == "start") out.rights.insert(mcp::Right::propose);
    if (name == "start") out.rights.insert(mcp::Right::start);
    if (name == "programs") out.allows_programs = true;
  }
  if (out.allows_programs && !out.rights.contains(mcp::Right::start))
    throw Error(ErrorKind::usage, "--allow programs changes nothing without --allow start", "add --allow start");
  out.max_trials = arguments.number("max-trials", out.max_trials, 1);
  out.max_wall = double(arguments.number("max-wall", std::int64_t(out.max_wall), 1));
  require_right(arguments, "max-trials", out.rights.contains(mcp::Right::propose), "propose");
  require_right(arguments, "max-wall", out.rights.contains(mcp::Right::start), "start");
  return out;
}

Json to_json(const Grant& grant) {
  Json data = Json::array();
  for (const fs::path& folder : grant.data) data.push_back(folder.string());
  return {{"store", grant.store.string()},     {"root", grant.root.string()},    {"data", std::move(data)},
          {"programs", grant.allows_programs}, {"max_trials", grant.max_trials}, {"max_wall", grant.max_wall}};
}

Grant grant_in(const Json& json) {
  Grant out{.store = json.at("store").get<std::string>(), .root = json.at("root").get<std::string>()};
  for (const Json& folder : json.at("data")) out.data.emplace_back(folder.get<std::string>());
  out.allows_programs = json.at("programs").get<bool>();
  out.max_trials = json.at("max_trials").get<std::int64_t>();
  out.max_wall = json.at("max_wall").get<double>();
  return out;
}

}  // namespace dlrun::cli::agent
