// SPDX-License-Identifier: Apache-2.0
// Calls that change or read files of the folder, take descriptors, and start processes and threads.
#include "injector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// Whether a file of the folder is open under this number; sockets, pipes and libraries are not the disk.
static int is_ours(int fd) {
  char link[64], path[4096];
  struct stat facts;
  if (shared == NULL || fstat(fd, &facts) != 0 || !(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode))) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  return size > 0 && strncmp(path, folder, strlen(folder)) == 0;
}

static int writes(int fd, int class) { return is_ours(fd) && is_hit(class); }
static int is_in_folder(const char* path) {
  return shared != NULL && (path[0] != '/' || strncmp(path, folder, strlen(folder)) == 0);
}
static int changes(const char* path) { return is_in_folder(path) && is_hit(kDisk); }

// A file that is opened takes a descriptor; one of the folder may be refused too, for want of permission or a bad disk.
static int is_refused(const char* path) { return is_hit(kOpen) || (is_in_folder(path) && is_hit(kName)); }

ssize_t write(int fd, const void* b, size_t n) { return writes(fd, kDisk) ? -1 : NEXT(write)(fd, b, n); }
ssize_t writev(int fd, const struct iovec* v, int n) { return writes(fd, kDisk) ? -1 : NEXT(writev)(fd, v, n); }
ssize_t pwrite(int fd, const void* b, size_t n, off_t at) {
  return writes(fd, kDisk) ? -1 : NEXT(pwrite)(fd, b, n, at);
}
ssize_t pwrite64(int fd, const void* b, size_t n, off64_t at) {
  return writes(fd, kDisk) ? -1 : NEXT(pwrite64)(fd, b, n, at);
}
int ftruncate(int fd, off_t n) { return writes(fd, kDisk) ? -1 : NEXT(ftruncate)(fd, n); }
int ftruncate64(int fd, off64_t n) { return writes(fd, kDisk) ? -1 : NEXT(ftruncate64)(fd, n); }
ssize_t sendfile(int to, int from, off_t* at, size_t n) {
  return writes(to, kDisk) ? -1 : NEXT(sendfile)(to, from, at, n);
}
ssize_t copy_file_range(int from, off64_t* at, int to, off64_t* there, size_t n, unsigned flags) {
  return writes(to, kDisk) ? -1 : NEXT(copy_file_range)(from, at, to, there, n, flags);
}
int rename(const char* from, const char* to) { return changes(to) ? -1 : NEXT(rename)(from, to); }
int unlink(const char* path) { return changes(path) ? -1 : NEXT(unlink)(path); }
int remove(const char* path) { return changes(path) ? -1 : NEXT(remove)(path); }
int mkdir(const char* path, mode_t mode) { return changes(path) ? -1 : NEXT(mkdir)(path, mode); }
int link(const char* from, const char* to) { return changes(to) ? -1 : NEXT(link)(from, to); }
int fsync(int fd) { return writes(fd, kSync) ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return writes(fd, kSync) ? -1 : NEXT(fdatasync)(fd); }

ssize_t read(int fd, void* b, size_t n) { return writes(fd, kRead) ? -1 : NEXT(read)(fd, b, n); }
ssize_t readv(int fd, const struct iovec* v, int n) { return writes(fd, kRead) ? -1 : NEXT(readv)(fd, v, n); }
ssize_t pread(int fd, void* b, size_t n, off_t at) { return writes(fd, kRead) ? -1 : NEXT(pread)(fd, b, n, at); }
ssize_t pread64(int fd, void* b, size_t n, off64_t at) { return writes(fd, kRead) ? -1 : NEXT(pread64)(fd, b, n, at); }

static mode_t mode_of(int flags, va_list* rest) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(*rest, mode_t) : 0; }
#define OPEN(name, first, call)                     \
  int name first {                                  \
    va_list rest;                                   \
    va_start(rest, flags);                          \
    const mode_t mode = mode_of(flags, &rest);      \
    va_end(rest);                                   \
    return is_refused(path) ? -1 : NEXT(name) call; \
  }
OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
OPEN(openat, (int dir, const char* path, int flags, ...), (dir, path, flags, mode))
OPEN(openat64, (int dir, const char* path, int flags, ...), (dir, path, flags, mode))
FILE* fopen(const char* path, const char* how) { return is_refused(path) ? NULL : NEXT(fopen)(path, how); }
FILE* fopen64(const char* path, const char* how) { return is_refused(path) ? NULL : NEXT(fopen64)(path, how); }
DIR* opendir(const char* path) { return is_refused(path) ? NULL : NEXT(opendir)(path); }

int socket(int f, int t, int p) { return is_hit(kOpen) ? -1 : NEXT(socket)(f, t, p); }
int socketpair(int f, int t, int p, int ends[2]) { return is_hit(kOpen) ? -1 : NEXT(socketpair)(f, t, p, ends); }
int pipe(int ends[2]) { return is_hit(kOpen) ? -1 : NEXT(pipe)(ends); }
int pipe2(int ends[2], int flags) { return is_hit(kOpen) ? -1 : NEXT(pipe2)(ends, flags); }
int epoll_create1(int flags) { return is_hit(kOpen) ? -1 : NEXT(epoll_create1)(flags); }
int eventfd(unsigned first, int flags) { return is_hit(kOpen) ? -1 : NEXT(eventfd)(first, flags); }
int accept(int fd, struct sockaddr* a, socklen_t* n) { return is_hit(kOpen) ? -1 : NEXT(accept)(fd, a, n); }
int accept4(int fd, struct sockaddr* a, socklen_t* n, int flags) {
  return is_hit(kOpen) ? -1 : NEXT(accept4)(fd, a, n, flags);
}

// What is said between processes: it only counts, as moments for signals.
ssize_t send(int fd, const void* b, size_t n, int flags) { return is_hit(kTalk) ? -1 : NEXT(send)(fd, b, n, flags); }
ssize_t sendmsg(int fd, const struct msghdr* m, int flags) { return is_hit(kTalk) ? -1 : NEXT(sendmsg)(fd, m, flags); }
ssize_t recv(int fd, void* b, size_t n, int flags) { return is_hit(kTalk) ? -1 : NEXT(recv)(fd, b, n, flags); }
ssize_t recvmsg(int fd, struct msghdr* m, int flags) { return is_hit(kTalk) ? -1 : NEXT(recvmsg)(fd, m, flags); }

pid_t fork(void) { return is_hit(kSpawn) ? -1 : NEXT(fork)(); }
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*), void* with) {
  return is_hit(kSpawn) ? EAGAIN : NEXT(pthread_create)(thread, how, start, with);
}
int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* a, const posix_spawnattr_t* b,
                char* const* words, char* const* env) {
  return is_hit(kSpawn) ? errno : NEXT(posix_spawn)(pid, path, a, b, words, env);
}
int posix_spawnp(pid_t* pid, const char* path, const posix_spawn_file_actions_t* a, const posix_spawnattr_t* b,
                 char* const* words, char* const* env) {
  return is_hit(kSpawn) ? errno : NEXT(posix_spawnp)(pid, path, a, b, words, env);
}
