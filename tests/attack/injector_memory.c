// SPDX-License-Identifier: Apache-2.0
// Calls that ask for memory. Small ones are left alone: they fail only where nothing at all is left.
#include "injector.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { kSmallest = 512, kLargest = 65536 };  // bytes from which memory counts as kMemory, kLarge

// glibc's own names: dlsym() may allocate.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
static int is_scarce(size_t size) {
  if (shared == NULL || size < kSmallest) return 0;
  const int hits_all = is_hit(kMemory);
  return (size >= kLargest && is_hit(kLarge)) || hits_all;
}
void* malloc(size_t size) { return is_scarce(size) ? NULL : __libc_malloc(size); }
void* calloc(size_t many, size_t size) { return is_scarce(many * size) ? NULL : __libc_calloc(many, size); }
void* realloc(void* old, size_t size) { return is_scarce(size) ? NULL : __libc_realloc(old, size); }
void* memalign(size_t to, size_t size) { return is_scarce(size) ? NULL : __libc_memalign(to, size); }
void* aligned_alloc(size_t to, size_t size) { return is_scarce(size) ? NULL : __libc_memalign(to, size); }
int posix_memalign(void** out, size_t to, size_t size) {
  void* const got = is_scarce(size) ? NULL : __libc_memalign(to, size);
  if (got != NULL) *out = got;
  return got == NULL ? ENOMEM : 0;
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t from) {
  return is_scarce(size) ? MAP_FAILED : NEXT(mmap)(at, size, protection, flags, fd, from);
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t from) {
  return is_scarce(size) ? MAP_FAILED : NEXT(mmap64)(at, size, protection, flags, fd, from);
}
