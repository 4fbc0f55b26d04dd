// SPDX-License-Identifier: Apache-2.0
#include "trial/artifacts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <system_error>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"
#include "util/units.hpp"

namespace dlrun::trial {

namespace {

/// Reads a file part by part, because a checkpoint may be larger than the memory. @return its SHA-256
std::string read_through(const std::filesystem::path& file, const std::function<void(std::string_view)>& use = {}) {
  FileReader reader(file);
  std::string buffer(1 << 18, '\0');
  Sha256 hash;
  while (const std::size_t size = reader.read(buffer.data(), buffer.size())) {
    hash.add({buffer.data(), size});
    if (use) use({buffer.data(), size});
  }
  return hash.finish_hex();
}

bool is_sound(const std::filesystem::path& file, const std::string& sha256) {
  return std::filesystem::exists(file) && read_through(file) == sha256;
}

std::string text_of(const Json& section, const char* key) {
  const auto found = section.find(key);
  return found != section.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A section of the trial, as the order has it.
Json section_of(const WorkSetup& setup, const PieceOrder& order, const char* name) {
  const Json own = order.sets.is_object() ? order.sets.value(name, Json()) : Json();
  return own.is_object() ? own : setup.trial.value(name, Json());
}

/// Checkpoints that give weights: donors, and those of a donor's folds.
Json donors_in(const Json& warm_start) {
  Json out = warm_start.is_object() ? warm_start.value("donors", Json::array()) : Json::array();
  for (std::size_t i = 0, count = out.size(); i < count; ++i) {
    const Json folds = out[i].is_object() ? out[i].value("folds", Json()) : Json();
    for (const Json& fold : folds.is_array() ? folds : Json::array()) out.push_back(fold);
  }
  return out;
}

/// Donors that are no files of the user's.
std::vector<std::string> stored_donors(const Json& warm_start) {
  std::vector<std::string> out;
  for (const Json& donor : donors_in(warm_start)) {
    if (donor.is_object() && text_of(donor, "from").empty()) out.push_back(text_of(donor, "sha256"));
  }
  return out;
}

/// Does the piece begin with first weights? A program without a checkpoint begins again, wherever its piece does.
bool begins(const PieceOrder& order) { return order.from_step == 0 || order.resume.empty(); }

/// Adds the file that `from:` of a section names, unless it is an artifact.
void add_file(const WorkSetup& setup, const Json& section, std::vector<InputFile>& out) {
  if (!section.is_object()) return;
  const std::string from = text_of(section, "from"), sha256 = text_of(section, "sha256");
  if (from.empty() || !is_sha256(sha256) || !stored_init(setup, section).empty()) return;
  out.push_back({from, sha256, false});
}

}  // namespace

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::filesystem::path artifact_file(const WorkSetup& setup, const std::string& sha256) {
  std::filesystem::path path = artifact_path(setup.artifacts, sha256);
  return setup.trial.value("kind", std::string("train")) == "train" ? path += ".safetensors" : path;
}

std::string stored_init(const WorkSetup& setup, const Json& init) {
  if (!init.is_object() || !text_of(init, "from").starts_with(setup.artifacts + '/')) return {};
  return text_of(init, "sha256");
}

std::vector<std::string> artifacts_read(const WorkSetup& setup, const PieceOrder& order) {
  std::vector<std::string> all{order.resume};
  if (begins(order)) {
    all.push_back(stored_init(setup, section_of(setup, order, "init")));
    for (std::string& donor : stored_donors(section_of(setup, order, "warm_start"))) all.push_back(std::move(donor));
  }
  std::vector<std::string> out;
  for (std::string& one : all) {
    if (is_sha256(one) && std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  }
  return out;
}

std::vector<InputFile> inputs_of(const WorkSetup& setup, const PieceOrder& order) {
  std::vector<InputFile> out;
  for (const std::string& sha256 : artifacts_read(setup, order)) out.push_back({artifact_file(setup, sha256), sha256});
  if (!begins(order)) return out;
  add_file(setup, section_of(setup, order, "init"), out);
  for (const Json& donor : donors_in(section_of(setup, order, "warm_start"))) add_file(setup, donor, out);
  return out;
}

std::string fault_of(const InputFile& input) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(input.path, none)) return "is missing";
  return is_sound(input.path, input.sha256) ? std::string() : "is damaged: its content does not match its SHA-256";
}

std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256) {
  return artifacts / sha256.substr(0, 2) / sha256;
}

void require_sound(const std::filesystem::path& file, const std::string& sha256) {
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::store, "artifact '" + file.string() + "' is missing",
                "it was deleted or the store was moved in part");
  }
  if (is_sound(file, sha256)) return;
  throw Error(ErrorKind::store, "artifact '" + file.string() + "' is damaged: its content does not match its name");
}

void copy_artifact(const std::filesystem::path& file, const std::filesystem::path& path, const std::string& sha256,
                   unsigned mode) {
  const std::filesystem::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  std::error_code none;
  std::filesystem::remove(temporary, none);
  try {
    FileWriter writer(temporary, mode);
    if (read_through(file, [&](std::string_view bytes) { writer.write_sparse(bytes); }) != sha256) {
      throw Error(ErrorKind::usage, "'" + file.string() + "' was written while it was kept");
    }
    writer.finish();
    move_file(temporary, path);
  } catch (...) {
    std::filesystem::remove(temporary, none);
    throw;
  }
}

namespace {

std::string describe(const LeftFile& file) {
  const char* what = file.role == kExamples ? "the file of examples" : "the checkpoint";
  return fmt::format("{} '{}'", what, file.path.string());
}

void require_regular(const LeftFile& file) {
  const std::string kind = special_kind(file.path);
  if (!kind.empty()) throw Error(ErrorKind::usage, describe(file) + " is " + kind + ", not a file");
}

[[noreturn]] void refuse_large(const LeftFile& file) {
  throw Error(ErrorKind::usage, describe(file) + " is larger than " + bytes_text(double(file.most)),
              file.role == kExamples ? "" : "`artifacts: {max_mb: N}` in the trial allows more");
}

}  // namespace

Artifact keep_artifact(const std::filesystem::path& artifacts, const LeftFile& file) {
  require_regular(file);
  std::error_code none;
  if (std::filesystem::file_size(file.path, none) > std::uintmax_t(file.most) && !none) refuse_large(file);
  std::int64_t bytes = 0;
  std::string sha256 = read_through(file.path, [&](std::string_view some) {
    if ((bytes += std::int64_t(some.size())) > file.most) refuse_large(file);
  });
  Artifact artifact{file.role, std::move(sha256), bytes, file.step};
  const std::filesystem::path path = artifact_path(artifacts, artifact.sha256);
  if (is_sound(path, artifact.sha256)) return artifact;  // a damaged one is written again
  make_folders(path.parent_path());
  copy_artifact(file.path, path, artifact.sha256);
  return artifact;
}

}  // namespace dlrun::trial
