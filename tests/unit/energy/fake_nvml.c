/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's management library, played by a file: $DLRUN_FAKE_NVML has a line "UUID NAME MILLIJOULES MILLIWATTS" for each
 * card, `-` for what a card does not tell. Every call reads it anew. $DLRUN_FAKE_FREE: percent of each card's memory that are
 * free; a card without it tells nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, MOST = 8 };

static int begun = 0;
static int numbers[MOST] = {0, 1, 2, 3, 4, 5, 6, 7}; /* what handles point to */

struct card {
  char uuid[64], name[64], millijoules[32], milliwatts[32];
};

static int read_card(int number, struct card* card) {
  const char* path = getenv("DLRUN_FAKE_NVML");
  FILE* file = path ? fopen(path, "r") : NULL;
  int i = -1;
  if (!file) return 0;
  while (i < number && fscanf(file, "%63s %63s %31s %31s", card->uuid, card->name, card->millijoules, card->milliwatts) == 4)
    ++i;
  fclose(file);
  return i == number;
}

int nvmlInit_v2(void) {
  begun = getenv("DLRUN_FAKE_NVML") != NULL;
  return begun ? OK : 9; /* no driver */
}

int nvmlShutdown(void) {
  begun = 0;
  return OK;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  struct card card;
  if (!begun) return UNINITIALIZED;
  for (*count = 0; *count < MOST && read_card((int)*count, &card);) ++*count;
  return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= MOST) return INVALID;
  *device = &numbers[index];
  return OK;
}

static int text(void* device, char* out, unsigned length, int is_name) {
  struct card card;
  if (!read_card(*(int*)device, &card)) return NOT_FOUND;
  snprintf(out, length, "%s", is_name ? card.name : card.uuid);
  return OK;
}

int nvmlDeviceGetUUID(void* device, char* out, unsigned length) { return text(device, out, length, 0); }
int nvmlDeviceGetName(void* device, char* out, unsigned length) { return text(device, out, length, 1); }

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  struct card card;
  if (!read_card(*(int*)device, &card)) return NOT_FOUND;
  if (strcmp(card.millijoules, "-") == 0) return UNSUPPORTED;
  *millijoules = strtoull(card.millijoules, NULL, 10);
  return OK;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  struct card card;
  if (!read_card(*(int*)device, &card)) return NOT_FOUND;
  if (strcmp(card.milliwatts, "-") == 0) return UNSUPPORTED;
  *milliwatts = (unsigned)strtoul(card.milliwatts, NULL, 10);
  return OK;
}

struct memory {
  unsigned long long total, free, used;
};

int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
  const char* percent = getenv("DLRUN_FAKE_FREE");
  (void)device;
  if (!percent) return UNSUPPORTED;
  memory->total = 100;
  memory->free = strtoull(percent, NULL, 10);
  memory->used = memory->total - memory->free;
  return OK;
}
