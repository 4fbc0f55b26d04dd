// SPDX-License-Identifier: Apache-2.0
// Preloaded into a driver: counts the calls that change what is on the disk and, at a chosen one, ends the process as a
// power cut would (FAULT_CRASH_AT) or fails it as a bad disk would (FAULT_FAIL_AT, FAULT_ERRNO; FAULT_KIND=sync counts
// fsync and fdatasync alone). FAULT_COUNT names a file that gets the number of calls at the end.
//
// After a sync that failed nothing may be acknowledged: an Ack frame that leaves then is written down in FAULT_ALARM.
// FAULT_ACKS names a file that gets the payload of every Ack frame before it leaves, a line for each.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kAck = 7 };  // the frame's type, lib/protocol/messages.hpp

static atomic_long calls;  // files go to the disk on several threads
static long crash_at, fail_at;
static int only_sync, fault = EIO, is_watched;
static atomic_int has_failed;
static const char *count_file, *alarm_file, *acks_file;

static long number(const char* name) {
  const char* text = getenv(name);
  return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
  is_watched = strcmp(program_invocation_short_name, "dlrun") == 0;  // not its workers, not git
  crash_at = number("FAULT_CRASH_AT");
  fail_at = number("FAULT_FAIL_AT");
  if (number("FAULT_ERRNO") != 0) fault = (int)number("FAULT_ERRNO");
  only_sync = getenv("FAULT_KIND") != NULL && strcmp(getenv("FAULT_KIND"), "sync") == 0;
  count_file = getenv("FAULT_COUNT");
  alarm_file = getenv("FAULT_ALARM");
  acks_file = getenv("FAULT_ACKS");
}

static void note(const char* file, const char* text) {
  if (file == NULL) return;
  const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return;
  ssize_t (*plain)(int, const void*, size_t) = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  plain(fd, text, strlen(text));
  close(fd);
}

__attribute__((destructor)) static void end(void) {
  char text[32];
  if (!is_watched) return;
  snprintf(text, sizeof text, "%ld\n", (long)calls);
  note(count_file, text);
}

// 1: this call is to fail. Every later one of its kind fails too: a disk that is broken stays broken.
static int is_hit(int is_sync) {
  if (!is_watched || (only_sync && !is_sync)) return 0;
  const long mine = ++calls;
  if (mine == crash_at) kill(getpid(), SIGKILL);
  if (fail_at == 0 || mine < fail_at) return 0;
  has_failed = 1;
  errno = fault;
  return 1;
}

static int is_file(int fd) {
  struct stat facts;
  return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* bytes, size_t size) {
  if (is_file(fd) && is_hit(0)) return -1;
  return NEXT(write)(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) { return is_hit(0) ? -1 : NEXT(pwrite)(fd, bytes, size, at); }
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  return is_hit(0) ? -1 : NEXT(pwrite64)(fd, bytes, size, at);
}
int fsync(int fd) { return is_hit(1) ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return is_hit(1) ? -1 : NEXT(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return is_hit(0) ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return is_hit(0) ? -1 : NEXT(ftruncate64)(fd, size); }
int rename(const char* from, const char* to) { return is_hit(0) ? -1 : NEXT(rename)(from, to); }
int unlink(const char* path) { return is_hit(0) ? -1 : NEXT(unlink)(path); }

static void append(const char* file, const char* bytes, size_t size) {
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  NEXT(write)(fd, bytes, size);
  NEXT(write)(fd, "\n", 1);
  close(fd);
}

// Frames begin with DLR1, the payload's size in four bytes and the type.
static void look(const char* bytes, size_t size) {
  for (size_t i = 0; is_watched && i + 9 <= size; ++i) {
    if (memcmp(bytes + i, "DLR1", 4) != 0 || bytes[i + 8] != kAck) continue;
    uint32_t payload;
    memcpy(&payload, bytes + i + 4, sizeof payload);
    if (has_failed) note(alarm_file, "acknowledged after a failed write\n");
    if (acks_file != NULL && i + 9 + payload <= size) append(acks_file, bytes + i + 9, payload);
  }
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  look(bytes, size);
  return NEXT(send)(fd, bytes, size, flags);
}
ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  for (size_t i = 0; i < message->msg_iovlen; ++i) look(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
  return NEXT(sendmsg)(fd, message, flags);
}
