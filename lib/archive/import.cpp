// SPDX-License-Identifier: Apache-2.0
#include "archive/import.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "archive/manifest.hpp"
#include "archive/syncs.hpp"
#include "archive/tar.hpp"
#include "storage/artifact_files.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "storage/staging.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"
#include "util/units.hpp"

namespace dlrun::archive {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostHash = 256;  ///< bytes of manifest.sha256

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(ErrorKind::store, fmt::format("'{}': {}", what, why), "the file was damaged or edited; take it anew");
}

/// The members of an archive, each of which has to be the one that is expected.
class Members {
 public:
  Members(int fd, const std::string& what) : what_(what), tar_(fd, what) {}

  /// The next member's size. @throws Error(store) it is another, no regular file, or larger than `most`.
  std::int64_t open(const std::string& name, std::int64_t most) {
    const std::optional<Entry> entry = tar_.next();
    if (!entry) refuse(what_, fmt::format("member '{}' is missing", name));
    if (entry->name != name) refuse_other(entry->name, name);
    if (!entry->is_file) refuse(what_, fmt::format("member '{}' is no file but a link or device", name));
    if (entry->bytes < 0 || entry->bytes > most)
      refuse(what_, fmt::format("member '{}' has {} bytes, which is more than {}", name, entry->bytes, most));
    seen_.insert(name);
    return entry->bytes;
  }

  /// Hands over what was opened, piece by piece. @return its SHA-256
  template <class Use>
  std::string read(const Use& use) {
    Sha256 sha;
    while (const std::size_t got = tar_.read(chunk_.data(), chunk_.size())) {
      const std::string_view bytes(chunk_.data(), got);
      sha.add(bytes);
      use(bytes);
    }
    return sha.finish_hex();
  }

  std::string read_text(const std::string& name, std::size_t most) {
    open(name, std::int64_t(most));
    std::string text;
    read([&](std::string_view bytes) { text += bytes; });
    return text;
  }

  void require_end() {
    if (const std::optional<Entry> entry = tar_.next()) refuse_other(entry->name, "the end");
  }

 private:
  [[noreturn]] void refuse_other(const std::string& found, const std::string& expected) {
    if (expected == kManifest)
      refuse(what_, fmt::format("begins with '{}', not with '{}': it is no archive of dlrun's", found, kManifest));
    if (seen_.count(found) > 0) refuse(what_, fmt::format("member '{}' stands twice", found));
    refuse(what_, fmt::format("member '{}' stands where '{}' should be", found, expected));
  }

  const std::string& what_;
  TarReader tar_;
  std::set<std::string> seen_;
  std::string chunk_ = std::string(kChunk, '\0');
};

Manifest read_manifest(Members& members, const std::string& what) {
  const std::string text = members.read_text(kManifest, kMostManifest);
  const std::string hash = members.read_text(kManifestHash, kMostHash);
  if (hash != fmt::format("{}  {}\n", Sha256::hex_of(text), kManifest))
    refuse(what, fmt::format("'{}' is not what '{}' says: it is damaged", kManifest, kManifestHash));
  return manifest_from(text);
}

std::int64_t bytes_of(const Manifest& manifest) {
  std::int64_t sum = 0;
  for (const Member& member : manifest.members) sum += member.bytes;
  return sum;
}

class Import {
 public:
  Import(const ImportOptions& options, int fd, const std::string& what)
      : options_(options), what_(what), members_(fd, what) {}

  Imported run() {
    manifest_ = read_manifest(members_, what_);
    describe();
    if (is_there_already()) return out_;
    require_readable();
    storage::Staging::sweep(options_.store);
    make_folders(options_.store);
    staging_.emplace(options_.store);
    require_room();
    for (const Member& member : manifest_.members) fetch(member);
    members_.require_end();
    syncs_.finish();
    admit();
    try {
      publish();
    } catch (const fs::filesystem_error& fault) {
      throw Error(ErrorKind::outside, fault.what());
    }
    return out_;
  }

 private:
  const ArchivedStudy& archived() const { return manifest_.studies.front(); }
  fs::path rows() const { return staging_->path() / "rows.db"; }

  void describe() {
    if (manifest_.studies.size() > 1) refuse(what_, "holds several studies");
    out_.came_as = archived().name;
    out_.study = options_.name.empty() ? archived().name : options_.name;
    out_.trials = archived().trials;
    out_.was_running = archived().state == "running";
    out_.artifacts = std::int64_t(manifest_.members.size() - manifest_.studies.size());
    out_.bytes = bytes_of(manifest_);
    storage::require_new_name(out_.study);
  }

  /// @throws Error(store) another study has the name.
  bool is_there_already() {
    const fs::path file = storage::study_file(options_.store, out_.study, ".db");
    if (!fs::exists(file)) return false;
    const storage::StudyFacts here = storage::facts_of(*storage::open_for_reading(file));
    out_.is_there =
        here.row.hash == archived().hash && here.head.seq == archived().log_rows && here.head.hash == archived().head;
    if (out_.is_there) return true;
    throw Error(ErrorKind::store, fmt::format("the store has another study '{}' already", out_.study),
                "--as NAME takes this one in under another name", file.string());
  }

  void require_readable() const {
    if (manifest_.schema <= storage::current_schema()) return;
    throw Error(ErrorKind::store,
                fmt::format("'{}' was written by dlrun {} with schema {}, but this dlrun knows up to schema {}", what_,
                            manifest_.dlrun, manifest_.schema, storage::current_schema()),
                "use the dlrun that wrote it, or a newer one");
  }

  void require_room() const {
    std::error_code none;
    const fs::space_info space = fs::space(options_.store, none);
    if (none || std::uintmax_t(out_.bytes) <= space.available) return;
    throw Error(ErrorKind::outside,
                fmt::format("'{}' needs {}, but '{}' has {} left", what_, bytes_text(double(out_.bytes)),
                            options_.store.string(), bytes_text(double(space.available))),
                "make room on the disk, or name another store with --store");
  }

  void fetch(const Member& member) {
    const std::int64_t bytes = members_.open(member.name, member.bytes);
    if (bytes != member.bytes)
      refuse(what_, fmt::format("member '{}' has {} bytes, not {}", member.name, bytes, member.bytes));
    const std::string artifact = artifact_of(member);
    auto file = std::make_unique<FileWriter>(artifact.empty() ? rows() : staging_->path() / artifact);
    const std::string hash = members_.read([&](std::string_view piece) { file->write(piece); });
    if (hash != member.sha256)
      refuse(what_, fmt::format("member '{}' has another content than the manifest says: it is damaged", member.name));
    syncs_.add(std::move(file));
  }

  /// The rows are those of the manifest, whole, and all that they need came with them.
  void admit() {
    const storage::StudyFacts facts = admitted();
    if (facts.row.name != archived().name || facts.row.hash != archived().hash ||
        facts.head.seq != archived().log_rows || facts.head.hash != archived().head ||
        facts.trials != archived().trials)
      refuse(what_, fmt::format("'{}' is not the study that the manifest says", member_of(archived().name)));
    std::set<std::string> came;
    for (const Member& member : manifest_.members) came.insert(artifact_of(member).substr(0, kHashLength));
    storage::Database database(rows(), storage::Database::Mode::read);
    for (const std::string& hash : storage::needed_by(database)) {
      if (came.count(hash) == 0)
        refuse(what_, fmt::format("artifact {} of the study is not among its members", short_hash(hash)));
    }
  }

  storage::StudyFacts admitted() const {
    try {
      return storage::admit_study(rows(), staging_->path() / "tables.db");
    } catch (const Error& fault) {
      if (fault.kind() != ErrorKind::store) throw;
      refuse(what_, fmt::format("member '{}' is refused: {}", member_of(archived().name), fault.what()));
    }
  }

  void publish() {
    const fs::path artifacts = options_.store / "artifacts";
    make_folders(artifacts);
    const storage::WriterLock lock = storage::lock_artifacts(options_.store);
    std::set<fs::path> folders;
    for (const Member& member : manifest_.members) {
      const std::string name = artifact_of(member);
      if (name.empty()) continue;
      const fs::path folder = artifacts / name.substr(0, 2);
      make_folders(folder);
      fs::rename(staging_->path() / name, folder / name);  // over the same content, where there is one
      folders.insert(folder);
    }
    for (const fs::path& folder : folders) sync_folder(folder);
    if (out_.study != out_.came_as) storage::rename_study(rows(), out_.study);
    storage::take_in(rows(), options_.store, out_.study);
  }

  const ImportOptions& options_;
  const std::string& what_;
  Members members_;
  Manifest manifest_;
  std::optional<storage::Staging> staging_;
  Syncs syncs_;  ///< pending writes of the files in `staging_`
  Imported out_;
};

}  // namespace

Imported import_study(const ImportOptions& options, int fd, const std::string& what) {
  return Import(options, fd, what).run();
}

}  // namespace dlrun::archive
