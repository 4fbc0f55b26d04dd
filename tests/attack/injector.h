// SPDX-License-Identifier: Apache-2.0
// Plan of the attack and count of calls, which all processes of a run share; see injector.c.
#pragma once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

enum {
  kDisk,
  kSync,
  kRead,
  kName,
  kOpen,
  kSpawn,
  kMemory,
  kLarge,
  kTalk,
  kClasses
};                                            // the order of CLASSES in injector.py
enum { kDriver, kWorker, kProgram, kRoles };  // and of ROLES
enum { kCountOnly, kFail, kSignal };          // and of ACTIONS

struct Shared {
  long role, class, at, action, number, times;  // the plan; number: errno or signal; times: how many calls, -1 for all
  long hits, stopped;
  long calls[kRoles][kClasses];
};
#pragma GCC visibility push(hidden)  // no name of ours takes the place of one in a library
extern struct Shared* shared;        // NULL in processes that the attack leaves alone
extern const char* folder;

// Counts a call of this class. Returns 1 if it is to fail, with errno set.
int is_hit(int class);
#pragma GCC visibility pop

#define NEXT(name)                                                       \
  ({                                                                     \
    static __typeof__(&name) next;                                       \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    next;                                                                \
  })
