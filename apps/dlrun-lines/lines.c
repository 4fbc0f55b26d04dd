// SPDX-License-Identifier: Apache-2.0
// Preloaded into programs that are trials, for their standard output and error.
//
// The C library prints into a pipe by blocks; here it prints by lines, as stdbuf(1) makes it.
//
// A write that waits for room in a pipe ends short when the program is stopped (SIGSTOP), for the kernel returns what it
// has done. Most programs write the rest; Python with PYTHONUNBUFFERED does not (io.FileIO writes once), and the end of
// its line would be lost. So the rest is written here.
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/types.h>

extern long syscall(long number, ...);

enum { kOutput = 1, kError = 2 };

__attribute__((constructor)) static void print_by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

__attribute__((visibility("default"))) ssize_t write(int descriptor, const void* bytes, size_t size) {
  ssize_t done = syscall(SYS_write, descriptor, bytes, size);
  if (descriptor != kOutput && descriptor != kError) return done;
  while (done > 0 && (size_t)done < size) {
    const ssize_t more = syscall(SYS_write, descriptor, (const char*)bytes + done, size - (size_t)done);
    if (more <= 0) return done;  // the next write tells why
    done += more;
  }
  return done;
}
