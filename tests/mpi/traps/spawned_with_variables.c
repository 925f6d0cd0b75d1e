/* SPDX-License-Identifier: Apache-2.0 */
/* Starts RANKS more ranks, which inherit the library and its variables, as those of a launcher that
 * passes them on do; each world then runs its own collectives.
 *   spawned_with_variables RANKS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static char* assignment(const char* name) {
  const char* value = getenv(name);
  char* text = malloc(strlen(name) + strlen(value != NULL ? value : "") + 2);
  sprintf(text, "%s=%s", name, value != NULL ? value : "");
  return text;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm others;
  MPI_Comm_get_parent(&others);
  const int is_child = others != MPI_COMM_NULL;
  if (!is_child) {
    char env[] = "env";
    char* arguments[] = {assignment("LD_PRELOAD"),
                         assignment("ROUNDELAY"),
                         assignment("ROUNDELAY_NODES"),
                         assignment("ROUNDELAY_SITES"),
                         assignment("ROUNDELAY_REPORT"),
                         assignment("ROUNDELAY_REPORT_FILE"),
                         argv[0],
                         NULL};
    MPI_Comm_spawn(env, arguments, atoi(argv[1]), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
    for (int i = 0; i < 6; ++i) free(arguments[i]);
  }
  MPI_Comm_disconnect(&others); /* so that nothing says any more that there was a parent */
  check_collectives(MPI_COMM_WORLD, 7);
  if (!is_child) return check_end();
  MPI_Finalize();
  return check_failures > 0;
}
