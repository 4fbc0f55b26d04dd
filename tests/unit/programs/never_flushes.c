/* SPDX-License-Identifier: Apache-2.0
 * Prints a value and waits for ever: into a pipe the C library keeps the line back. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  printf("acc 1\n");
  for (;;) pause();
}
