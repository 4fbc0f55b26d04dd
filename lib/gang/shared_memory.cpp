// SPDX-License-Identifier: Apache-2.0
#include "gang/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr std::size_t kPage = 4096, kLeastRing = 64 << 10, kMostRing = 64 << 20, kRings = std::size_t(1) << 30;

/// Address space, not memory: pages that nobody writes are not there.
std::size_t ring_bytes(int processes) {
  const std::size_t rings = std::size_t(processes) * std::size_t(std::max(1, processes - 1));
  return std::clamp(kRings / rings / kPage * kPage, kLeastRing, kMostRing);
}

std::size_t all_bytes(int processes) {
  return kPage + std::size_t(processes) * std::size_t(processes) * ring_bytes(processes);
}

[[noreturn]] void fail() {
  throw Error(ErrorKind::outside, "ranks get no memory to share: " + std::generic_category().message(errno));
}

}  // namespace

Descriptor SharedMemory::make(int processes) {
  Descriptor file(::memfd_create("dlrun-gang", MFD_CLOEXEC));
  if (!file.is_open() || ::ftruncate(file.fd(), off_t(all_bytes(processes))) != 0) fail();
  return file;
}

SharedMemory::SharedMemory(const Descriptor& file, int processes) : processes_(processes) {
  const std::size_t bytes = all_bytes(processes);
  void* place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.fd(), 0);
  if (place == MAP_FAILED) fail();
  all_ = {static_cast<std::byte*>(place), [bytes](std::byte* all) { ::munmap(all, bytes); }};
}

std::span<std::byte> SharedMemory::counter() const { return {all_.get(), kPage}; }

std::span<std::byte> SharedMemory::ring(int from, int to) const {
  const std::size_t bytes = ring_bytes(processes_);
  return {all_.get() + kPage + (std::size_t(from) * std::size_t(processes_) + std::size_t(to)) * bytes, bytes};
}

}  // namespace dlrun::gang
