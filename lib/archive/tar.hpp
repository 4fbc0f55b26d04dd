// SPDX-License-Identifier: Apache-2.0
// A tar written or read in one pass, by libarchive: pax where a name or size needs it, else ustar, which every tar
// reads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dlrun::archive {

/// Writes to a file descriptor that stays the caller's.
class TarWriter {
 public:
  struct Options {
    bool zstd = false;  ///< compressed, level 3
  };
  /// @param what  for messages: the file. @throws Error(outside).
  TarWriter(int fd, std::string what, const Options& options);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  /// Begins a regular file of exactly `bytes`. @throws Error(outside) disk full, the reader of a pipe gone.
  void begin(const std::string& name, std::int64_t bytes);
  void write(std::string_view bytes);
  /// Writes the end. Without it the file is no archive.
  void finish();
  /// Bytes that went to the descriptor.
  std::int64_t written() const;

 private:
  struct State;
  void require(long code);
  std::unique_ptr<State> state_;
};

/// Header of a member, before its bytes.
struct Entry {
  std::string name;
  std::int64_t bytes = 0;
  bool is_file = false;  ///< regular, and no link
};

/// Reads from a file descriptor that stays the caller's: a tar, compressed by zstd or not.
class TarReader {
 public:
  /// @param what  for messages. @throws Error(store) it is none of these.
  TarReader(int fd, std::string what);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  /// The next member; nullopt at the end. @throws Error(store) cut off or damaged, naming the last member that was
  /// seen; Error(outside) cannot be read.
  std::optional<Entry> next();
  /// Into `buffer`; 0 at the member's end. @throws as next().
  std::size_t read(char* buffer, std::size_t size);

 private:
  struct State;
  [[noreturn]] void fail() const;
  std::unique_ptr<State> state_;
};

}  // namespace dlrun::archive
