// SPDX-License-Identifier: Apache-2.0
// Files that survive a power cut, and reading with a message that names the file. Writes go through ::write, so that
// faults can be injected below us.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun {

/// Name of a thing that is no file: "a folder", "a named pipe", "a device", "a socket"; empty for a file, a link to
/// one, and nothing. Reading a pipe waits for a writer, and a device may never end.
std::string special_kind(const std::filesystem::path& path);

/// A fault of the machine, which another name would meet too: a full disk, an I/O error, no permission, no descriptor
/// or memory left.
/// @param fault  an errno
bool is_of_machine(int fault);

/// Whether the path's disk has less room left than a mebibyte or a thousandth of its size; false where nobody can tell.
bool is_disk_full(const std::filesystem::path& path);

/// Path of a library that comes with our programs: beside them, as they are built, or in lib/dlrun beside their folder,
/// as they are installed. Where there is none, the first.
std::filesystem::path own_library(const std::filesystem::path& programs, const std::string& name);

/// Whole content; a fault of the machine is Error(outside). @throws Error(usage) "cannot read 'x': No such file or
/// directory"; Error(usage) past `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t(1) << 32);

/// How a file reaches its final name.
struct WriteOptions {
  bool durable = true;   ///< fsync the file and its folder: what returned survives a power cut
  unsigned mode = 0600;  ///< permission bits
};

/// Replaces `path` as a whole: temporary name, write, fsync, rename, fsync of the folder. Nobody sees half a file.
/// A pipe or a device is written, not replaced. @throws Error(outside) naming path and cause, the temporary file
/// removed.
void write_file(const std::filesystem::path& path, std::string_view bytes, const WriteOptions& options = {});

/// fsyncs a file, renames it and fsyncs the folder it comes to. REQUIRES: the same file system. @throws Error(outside).
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes names that were moved into a folder stay there through a power cut. @throws Error(outside).
void sync_folder(const std::filesystem::path& folder);

/// A file of unknown length, written piece by piece. The descriptor is closed with the object.
class FileWriter {
 public:
  /// Makes it; a file of that name is an error. @throws Error(outside).
  explicit FileWriter(std::filesystem::path path, unsigned mode = 0600);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(std::string_view bytes);
  /// Writes bytes as write() does, but bytes that all are zero become a hole, which takes no room on the disk.
  /// The file has its length after finish() or sync().
  void write_sparse(std::string_view bytes);
  void finish();
  /// Waits until the file is on the disk.
  void sync();
  int descriptor() const { return fd_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  bool ends_with_hole_ = false;
};

/// A file read piece by piece.
class FileReader {
 public:
  /// @throws Error(usage) it cannot be read; Error(outside) a fault of the machine.
  explicit FileReader(std::filesystem::path path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  /// Bytes put into the buffer; 0 at the end.
  std::size_t read(char* buffer, std::size_t size);
  int descriptor() const { return fd_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

/// Paths of all that lies in a folder, sorted; none where there is no such folder. @throws Error(outside) it cannot be
/// read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Whether a file looks like what write_file() leaves beside its file when its process is killed.
bool is_temporary(const std::filesystem::path& file);

/// mkdir -p with mode 0700 for what is made. @throws Error(outside).
void make_folders(const std::filesystem::path& path);

}  // namespace dlrun
