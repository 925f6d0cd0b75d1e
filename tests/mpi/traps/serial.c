/* SPDX-License-Identifier: Apache-2.0 */
/* No MPI at all; linked statically. */
#include <stdio.h>

int main(void) {
  puts("finished");
  return 0;
}
