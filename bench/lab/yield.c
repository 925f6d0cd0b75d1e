/* SPDX-License-Identifier: Apache-2.0 */
/* Lets MPICH over UCX give its core away while it waits, as Open MPI and Roundelay do where ranks
 * outnumber the cores; it has no setting for that. Preload it on both sides of a comparison:
 *
 *   cc -O2 -shared -fPIC -o yield.so yield.c -ldl
 *   LD_PRELOAD=$PWD/yield.so roundelay lab .. -- ./collectives .. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

enum { vain_polls = 30 };

typedef unsigned (*Progress)(void*);

/* Behind a libmpi that was opened by mpi4py, as RTLD_NEXT does not find it. */
static Progress find_progress(void) {
  Progress found;
  *(void**)&found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (found != NULL) return found;
  void* ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  *(void**)&found = dlsym(ucp, "ucp_worker_progress");
  return found;
}

unsigned ucp_worker_progress(void* worker) {
  static _Thread_local Progress progress;
  static _Thread_local int vain;
  if (progress == NULL) progress = find_progress();
  const unsigned count = progress(worker);
  vain = count > 0 ? 0 : vain + 1;
  if (vain > vain_polls) {
    const struct timespec moment = {0, 1};
    nanosleep(&moment, NULL);
    vain = 0;
  }
  return count;
}
