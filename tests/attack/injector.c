// SPDX-License-Identifier: Apache-2.0
// Preloaded into a driver, its workers and their programs: at the n-th call of a chosen class it ends or stops the
// process, raises a signal in it, or lets this call and some after it fail.
//
// ATTACK_STATE names a file of 64-bit numbers that all processes share: first the plan, then how often the plan has
// struck and the process that was stopped last, then the calls of each class by role. So "the 100th write of the
// workers" counts all of them together, and a fault that is to happen once happens once, however many processes there
// are. A plan without an action only counts. ATTACK_FOLDER is the folder whose files count; descriptors, memory and
// processes count everywhere.
#include "injector.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct Shared* shared;
const char* folder;
static long role;

__attribute__((constructor)) static void begin(void) {
  const char* file = getenv("ATTACK_STATE");
  const char* name = program_invocation_short_name;
  folder = getenv("ATTACK_FOLDER");
  role = strcmp(name, "dlrun") == 0 ? kDriver : strcmp(name, "dlrun-worker") == 0 ? kWorker : kProgram;
  if (file == NULL || folder == NULL) return;
  if (role == kProgram && strncmp(name, "python", 6) != 0) return;
  const int fd = NEXT(open)(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* at = NEXT(mmap)(NULL, sizeof(struct Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at != MAP_FAILED) shared = at;
}

static void raise_here(int number) {
  if (number == SIGSTOP) __atomic_store_n(&shared->stopped, getpid(), __ATOMIC_SEQ_CST);
  kill(getpid(), number);
}

int is_hit(int class) {
  if (shared == NULL) return 0;
  const long mine = __atomic_add_fetch(&shared->calls[role][class], 1, __ATOMIC_SEQ_CST);
  if (shared->action == kCountOnly || shared->role != role || shared->class != class || mine < shared->at) return 0;
  if (__atomic_fetch_add(&shared->hits, 1, __ATOMIC_SEQ_CST) >= shared->times && shared->times >= 0) return 0;
  if (shared->action == kSignal) return raise_here((int)shared->number), 0;
  errno = (int)shared->number;
  return 1;
}
