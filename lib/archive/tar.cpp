// SPDX-License-Identifier: Apache-2.0
#include "archive/tar.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "util/error.hpp"

namespace dlrun::archive {

namespace {

constexpr std::size_t kBlock = 1 << 16;

using Handle = std::unique_ptr<struct archive, int (*)(struct archive*)>;
using EntryHandle = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

std::string cause(int number) { return std::generic_category().message(number); }

std::string said_by(struct archive* handle) {
  const char* text = archive_error_string(handle);
  return text != nullptr ? text : "unknown";
}

}  // namespace

struct TarWriter::State {
  Handle handle{archive_write_new(), archive_write_free};
  EntryHandle entry{archive_entry_new(), archive_entry_free};
  int fd = -1;
  std::string what;
  std::int64_t written = 0;
  int fault = 0;             ///< errno of the write that failed
  bool is_given_up = false;  ///< further bytes are discarded

  /// Callback of libarchive; its own descriptors lose the cause.
  static la_ssize_t write(struct archive* /*handle*/, void* of, const void* bytes, std::size_t size) {
    auto* state = static_cast<State*>(of);
    if (state->is_given_up) return la_ssize_t(size);
    ssize_t done = 0;
    do {
      done = ::write(state->fd, bytes, size);
    } while (done < 0 && errno == EINTR);
    if (done < 0) state->fault = errno;
    if (done > 0) state->written += done;
    return done;
  }
};

TarWriter::TarWriter(int fd, std::string what, const Options& options) : state_(std::make_unique<State>()) {
  state_->fd = fd;
  state_->what = std::move(what);
  struct archive* handle = state_->handle.get();
  require(archive_write_set_format_pax_restricted(handle));
  if (options.zstd) require(archive_write_add_filter_zstd(handle));
  require(archive_write_set_bytes_per_block(handle, int(kBlock)));
  require(archive_write_set_bytes_in_last_block(handle, 1));
  require(archive_write_open(handle, state_.get(), nullptr, State::write, nullptr));
}

/// Closes, for libarchive frees its buffers then alone; an archive that is not finished gets no end by it.
TarWriter::~TarWriter() {
  state_->is_given_up = true;
  state_->handle.reset();
}

void TarWriter::require(long code) {
  if (code >= ARCHIVE_OK) return;
  const std::string why = state_->fault != 0 ? cause(state_->fault) : said_by(state_->handle.get());
  throw Error(ErrorKind::outside, fmt::format("cannot write '{}': {}", state_->what, why));
}

void TarWriter::begin(const std::string& name, std::int64_t bytes) {
  archive_entry* entry = archive_entry_clear(state_->entry.get());
  archive_entry_set_pathname(entry, name.c_str());
  archive_entry_set_size(entry, bytes);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, S_IRUSR | S_IWUSR);
  archive_entry_set_mtime(entry, 0, 0);  // equal studies are equal archives
  require(archive_write_header(state_->handle.get(), entry));
}

void TarWriter::write(std::string_view bytes) {
  const la_ssize_t done = archive_write_data(state_->handle.get(), bytes.data(), bytes.size());
  require(long(done));
  if (std::size_t(done) != bytes.size())
    throw Error(ErrorKind::outside, fmt::format("cannot write '{}': a file grew while it was read", state_->what));
}

void TarWriter::finish() { require(archive_write_close(state_->handle.get())); }

std::int64_t TarWriter::written() const { return state_->written; }

struct TarReader::State {
  Handle handle{archive_read_new(), archive_read_free};
  int fd = -1;
  std::string what;
  std::string member;  ///< the newest
  int fault = 0;       ///< errno of the read that failed
  char buffer[kBlock] = {};

  static la_ssize_t read(struct archive* /*handle*/, void* of, const void** bytes) {
    auto* state = static_cast<State*>(of);
    *bytes = state->buffer;
    ssize_t got = 0;
    do {
      got = ::read(state->fd, state->buffer, sizeof state->buffer);
    } while (got < 0 && errno == EINTR);
    if (got < 0) state->fault = errno;
    return got;
  }
};

TarReader::TarReader(int fd, std::string what) : state_(std::make_unique<State>()) {
  state_->fd = fd;
  state_->what = std::move(what);
  struct archive* handle = state_->handle.get();
  archive_read_support_format_tar(handle);
  archive_read_support_filter_zstd(handle);
  if (archive_read_open(handle, state_.get(), nullptr, State::read, nullptr) != ARCHIVE_OK) fail();
}

TarReader::~TarReader() = default;

void TarReader::fail() const {
  if (state_->fault != 0)
    throw Error(ErrorKind::outside, fmt::format("cannot read '{}': {}", state_->what, cause(state_->fault)));
  const std::string place = state_->member.empty() ? "" : fmt::format(" at '{}'", state_->member);
  throw Error(ErrorKind::store,
              fmt::format("'{}' is no whole archive{}: {}", state_->what, place, said_by(state_->handle.get())),
              "the file was cut off or damaged, or is something else; take it anew");
}

std::optional<Entry> TarReader::next() {
  archive_entry* entry = nullptr;
  const int code = archive_read_next_header(state_->handle.get(), &entry);
  if (code == ARCHIVE_EOF) return std::nullopt;
  if (code != ARCHIVE_OK) fail();
  const char* name = archive_entry_pathname(entry);
  state_->member = name != nullptr ? name : "";
  const bool is_file = archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr &&
                       archive_entry_symlink(entry) == nullptr;
  return Entry{state_->member, archive_entry_size(entry), is_file};
}

std::size_t TarReader::read(char* buffer, std::size_t size) {
  const la_ssize_t got = archive_read_data(state_->handle.get(), buffer, size);
  if (got < 0) fail();
  return std::size_t(got);
}

}  // namespace dlrun::archive
