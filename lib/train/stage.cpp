// SPDX-License-Identifier: Apache-2.0
#include "train/stage.hpp"

#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

std::filesystem::path note_of(const std::filesystem::path& folder) { return folder / "stage.json"; }

/// @return its name; empty for no bytes
std::string keep(const std::filesystem::path& folder, std::string_view bytes) {
  if (bytes.empty()) return {};
  std::string sha256 = Sha256::hex_of(bytes);
  write_file(folder / (sha256 + ".safetensors"), bytes, {.durable = false});
  return sha256;
}

std::string fetch_kept(const std::filesystem::path& folder, const std::string& sha256) {
  if (sha256.empty()) return {};
  const std::filesystem::path path = folder / (sha256 + ".safetensors");
  std::string bytes = read_file(path);
  if (Sha256::hex_of(bytes) == sha256) return bytes;
  throw Error(ErrorKind::store, "'" + path.string() + "' is damaged: its content does not match its name");
}

}  // namespace

bool has_stage(const std::filesystem::path& folder) { return std::filesystem::exists(note_of(folder)); }

void leave_stage(const std::filesystem::path& folder, const Stage& stage) {
  make_folders(folder);
  const Json note = {{"shared", trial::to_json(trial::SharedStart{stage.member, stage.epoch})},
                     {"numerics", stage.numerics},
                     {"prefix", stage.prefix},
                     {"state", keep(folder, stage.state)},
                     {"best", keep(folder, stage.best)}};
  write_file(note_of(folder), to_text(note), {.durable = false});
}

Stage take_stage(const std::filesystem::path& folder) {
  const std::string path = note_of(folder).string();
  const Json note = parse_json(read_file(path), path);
  try {
    const trial::SharedStart shared = trial::shared_start(note.at("shared"));
    return {shared.member,
            shared.epochs,
            note.at("numerics").get<std::string>(),
            note.at("prefix").get<std::string>(),
            fetch_kept(folder, note.at("state").get<std::string>()),
            fetch_kept(folder, note.at("best").get<std::string>())};
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::store, "'" + path + "' is malformed: " + fault.what());
  }
}

}  // namespace dlrun::train
