// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/mapped.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "dataset/dataset.hpp"
#include "util/descriptor.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {}  // namespace

void Mapped::forget() const { ::madvise(const_cast<std::byte*>(bytes.get()), size, MADV_DONTNEED); }

Mapped map_file(const std::filesystem::path& path, const std::string& key, bool hashes) {
  const auto fail = [&](const std::string& what) {
    throw DataError(key, fmt::format("'{}' {}", path.string(), what), "", path.string());
  };
  const auto fail_to_read = [&](const char* what) {
    const int fault = errno;
    throw DataError::unreadable(key, fmt::format("'{}' {}: {}", path.string(), what, std::strerror(fault)), fault,
                                path.string());
  };
  if (const std::string kind = special_kind(path); !kind.empty()) fail(fmt::format("is {}, not a file", kind));
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.fd(), &info) != 0) fail_to_read("cannot be read");
  if (info.st_size == 0) fail("is empty");
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (begin == MAP_FAILED) fail_to_read("cannot be mapped");
  Mapped mapped;
  mapped.bytes = {static_cast<const std::byte*>(begin),
                  [size](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); }};
  mapped.size = size;
  if (hashes) mapped.sha256 = Sha256::hex_of(mapped.text());
  return mapped;
}

}  // namespace dlrun::dataset
