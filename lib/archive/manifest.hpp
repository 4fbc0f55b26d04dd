// SPDX-License-Identifier: Apache-2.0
// Contents of an archive: its first member, `manifest.json`, names every other one in the order in which they follow,
// with size and SHA-256. The second, `manifest.sha256`, is the hash of the first as sha256sum writes it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dlrun::archive {

constexpr int kFormat = 1;  ///< format of the archive; raised when an older dlrun could not read it
constexpr const char* kManifest = "manifest.json";
constexpr const char* kManifestHash = "manifest.sha256";
constexpr std::size_t kHashLength = 64;           ///< characters of a SHA-256
constexpr std::size_t kChunk = 1 << 20;           ///< bytes read or written at once
constexpr std::size_t kMostManifest = 256 << 20;  ///< bytes; two million artifacts

/// A file of the archive behind the manifest.
struct Member {
  std::string name;  ///< studies/NAME.db, or artifacts/ and the file's name in the store
  std::int64_t bytes = 0;
  std::string sha256;
};

/// A study of the archive, to be said and compared before its rows are read.
struct ArchivedStudy {
  std::string name;
  std::string hash;     ///< hash of its spec
  std::string created;  ///< UTC, ISO 8601
  std::string state;
  std::int64_t trials = 0;
  std::int64_t log_rows = 0;
  std::string head;  ///< hash of the last row of its log
};

struct Manifest {
  int format = kFormat;
  std::string dlrun;                   ///< version that wrote it
  int schema = 0;                      ///< version of the studies' tables
  std::vector<ArchivedStudy> studies;  ///< the one that was asked for first
  std::vector<Member> members;
};

/// The member that holds a study's rows.
std::string member_of(const std::string& study);
/// The file's name in artifacts/; empty: the member is no artifact.
std::string artifact_of(const Member& member);

/// JSON, a line for each study and member.
std::string text_of(const Manifest& manifest);

/// @throws Error(store) of a newer format, or naming the first thing that is not as text_of() writes it: a name that is
///         none of ours, one that stands twice, an artifact whose name is not its SHA-256, a size below 0, a sum beyond
///         2^62, a study without its member.
Manifest manifest_from(const std::string& text);

}  // namespace dlrun::archive
