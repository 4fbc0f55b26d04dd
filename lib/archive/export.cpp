// SPDX-License-Identifier: Apache-2.0
#include "archive/export.hpp"

#include <fmt/format.h>

#include <map>
#include <system_error>

#include "archive/manifest.hpp"
#include "archive/tar.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/staging.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"
#include "util/version.hpp"

namespace dlrun::archive {

namespace fs = std::filesystem;

namespace {

/// Reads a file to its end. @return its SHA-256
template <class Use>
std::string read_through(const fs::path& file, const Use& use) {
  FileReader reader(file);
  Sha256 sha;
  std::string chunk(kChunk, '\0');
  while (const std::size_t got = reader.read(chunk.data(), chunk.size())) {
    const std::string_view bytes(chunk.data(), got);
    sha.add(bytes);
    use(bytes);
  }
  return sha.finish_hex();
}

struct Held {
  fs::path path;
  std::int64_t bytes = 0;
};

class Export {
 public:
  explicit Export(const ExportOptions& options) : options_(options), staging_(options.store) {}

  Exported write_to(int fd, const std::string& what) {
    storage::copy_study(options_.store, options_.study, rows());
    collect();
    describe();
    TarWriter tar(fd, what, {.zstd = options_.zstd});
    write_manifest(tar);
    for (const Member& member : manifest_.members) write(tar, member);
    tar.finish();
    out_.bytes = tar.written();
    return out_;
  }

 private:
  fs::path rows() const { return staging_.path() / "rows.db"; }

  /// File from which a member's bytes are read.
  fs::path source_of(const Member& member) const {
    const std::string artifact = artifact_of(member);
    return artifact.empty() ? rows() : held_.at(artifact).path;
  }

  /// Holds the artifacts, and makes the rows' copy agree with what is held.
  void collect() {
    storage::Database copy(rows(), storage::Database::Mode::write);
    storage::Hashes gone;
    const storage::Hashes wanted = wanted_of(copy);
    for (const std::string& hash : storage::needed_by(copy)) {
      if (!wanted.contains(hash) || !hold(hash)) gone.insert(hash);
    }
    // Donors of a warm start that has not begun yet: what is left of them.
    if (options_.artifacts == Along::all) {
      for (const std::string& hash : storage::kept_by(copy)) hold_files(hash);
    }
    storage::forget_artifacts(copy, gone);
    copy.close();
  }

  storage::Hashes wanted_of(storage::Database& copy) const {
    switch (options_.artifacts) {
      case Along::all: return storage::needed_by(copy);
      case Along::best: return storage::needed_by_best(copy);
      default: return {};
    }
  }

  /// False: retention has just taken it away.
  bool hold(const std::string& hash) {
    if (hold_files(hash)) return true;
    if (!storage::is_given_up(options_.store, options_.study, hash)) {
      throw Error(ErrorKind::store,
                  fmt::format("artifact {} of study '{}' is missing", short_hash(hash), options_.study),
                  "`dlrun verify` says whose it is; --artifacts none takes the rows alone");
    }
    ++out_.given_up;
    return false;
  }

  bool hold_files(const std::string& hash) {
    bool is_there = false;
    for (const fs::path& file : storage::files_of(options_.store / "artifacts", hash))
      is_there = link(file) || is_there;
    return is_there;
  }

  bool link(const fs::path& file) {
    const fs::path held = staging_.path() / file.filename();
    std::error_code fault;
    fs::create_hard_link(file, held, fault);
    if (fault == std::errc::no_such_file_or_directory) return false;
    const fs::path& source =
        fault ? file : held;  // a disk without hard links: what goes meanwhile is said when it is read
    held_.emplace(file.filename().string(), Held{source, std::int64_t(fs::file_size(source))});
    return true;
  }

  void describe() {
    storage::Database copy(rows(), storage::Database::Mode::read);
    const storage::StudyFacts facts = storage::facts_of(copy);
    copy.close();
    out_.trials = facts.trials;
    out_.is_running = facts.state == "running";
    out_.artifacts = std::int64_t(held_.size());
    manifest_.dlrun = version();
    manifest_.schema = facts.schema;
    manifest_.studies.push_back({facts.row.name, facts.row.hash, facts.row.created, facts.state, facts.trials,
                                 facts.head.seq, facts.head.hash});
    manifest_.members.push_back({member_of(facts.row.name), std::int64_t(fs::file_size(rows())),
                                 read_through(rows(), [](std::string_view) {})});
    for (const auto& [name, file] : held_)
      manifest_.members.push_back({"artifacts/" + name, file.bytes, name.substr(0, kHashLength)});
  }

  void write_manifest(TarWriter& tar) const {
    const std::string text = text_of(manifest_);
    const std::string hash = fmt::format("{}  {}\n", Sha256::hex_of(text), kManifest);
    tar.begin(kManifest, std::int64_t(text.size()));
    tar.write(text);
    tar.begin(kManifestHash, std::int64_t(hash.size()));
    tar.write(hash);
  }

  void write(TarWriter& tar, const Member& member) const {
    tar.begin(member.name, member.bytes);
    std::int64_t written = 0;
    const std::string hash = read_through(source_of(member), [&](std::string_view bytes) {
      written += std::int64_t(bytes.size());
      if (written <= member.bytes) tar.write(bytes);
    });
    if (written == member.bytes && hash == member.sha256) return;
    throw Error(ErrorKind::store,
                fmt::format("'{}' of study '{}' is damaged: its content is not what its name says", member.name,
                            options_.study),
                "`dlrun verify` says whose it is; --artifacts none takes the rows alone");
  }

  const ExportOptions& options_;
  storage::Staging staging_;
  std::map<std::string, Held> held_;  ///< by the file's name
  Manifest manifest_;
  Exported out_;
};

}  // namespace

Exported export_study(const ExportOptions& options, int fd, const std::string& what) {
  return Export(options).write_to(fd, what);
}

}  // namespace dlrun::archive
