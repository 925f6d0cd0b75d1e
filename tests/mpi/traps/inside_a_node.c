/* SPDX-License-Identifier: Apache-2.0 */
/* What can go wrong where ranks share memory: inside_a_node WHAT [CALLS [WHAT ELSE]]. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/check.h"

/* From now on the system call fails in this process. */
static void forbid(int number) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
    puts("not provided");
  }
}

/* No more memory is to be had in /dev/shm. */
static void fill_shared_memory(void) {
  static char zeros[4096];
  const int file = open("/dev/shm/full", O_WRONLY | O_CREAT | O_EXCL, 0600);
  CHECK(file >= 0);
  while (write(file, zeros, sizeof zeros) > 0) {
  }
  CHECK(errno == ENOSPC);
}

/* No file of this process may be longer. */
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* A message that the receiver takes before it enters the collective: it comes only if the sender,
 * who waits in the collective, lets the MPI library go on. */
static void send_across(void) {
  enum { many = 4 << 20 };
  int* data = calloc(many, sizeof *data);
  const int rank = check_rank(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      check_fill(data, many, round, 3);
      MPI_Isend(data, many, MPI_INT, 1, round, MPI_COMM_WORLD, &request);
    } else if (rank == 1) {
      MPI_Recv(data, many, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(check_run(data, many, round, 3));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_collectives(MPI_COMM_WORLD, 1000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(data);
}

/* More than may share memory at once, and freed in another order. */
static void make_many(void) {
  enum { many = 300 };
  MPI_Comm comms[many];
  for (int i = 0; i < many; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    check_collectives(comms[i], 3);
  }
  for (int i = 0; i < many; ++i) check_collectives(comms[i], 20);
  for (int i = 0; i < many; ++i) MPI_Comm_free(&comms[i * 7 % many]);
  check_collectives(MPI_COMM_WORLD, 20);
}

/* Kilobytes that this process has in memory. */
static long resident(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%*d %ld", &pages) == 1);
  if (file != NULL) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void call_often(long calls) {
  const int size = check_size(MPI_COMM_WORLD);
  long before = 0;
  for (long i = 0; i < calls; ++i) {
    if (i == calls / 10) before = resident();
    long mine = i;
    long sum = 0;
    switch (i % 4) {
      case 0:
      case 1:
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (sum != i * size) CHECK(!"the sum is wrong");
        break;
      case 2: MPI_Bcast(&mine, 1, MPI_LONG, (int)(i / 4 % size), MPI_COMM_WORLD); break;
      default: MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  CHECK(resident() - before < 1024);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const char* what = argc > 1 ? argv[1] : "";
  const char* else_what = argc > 3 ? argv[3] : what;
  if (!strncmp(else_what, "no-memfd", 8) && rank == 0) forbid(SYS_memfd_create);
  if (!strcmp(what, "no-memfd-full") && rank == 0) fill_shared_memory();
  if (!strcmp(what, "no-memory") && rank == 0) {
    forbid(SYS_memfd_create);
    forbid(SYS_ftruncate);
  }
  if (!strcmp(what, "full") && rank == 1) forbid(SYS_fallocate);
  if (!strcmp(what, "limit") && rank == 1) limit_files(65536);
  if (!strcmp(what, "across")) send_across();
  if (!strcmp(what, "many")) make_many();
  if (!strcmp(what, "often")) call_often(atol(argv[2]));
  for (int count = 1; count < 100000; count *= 7) check_collectives(MPI_COMM_WORLD, count);
  return check_end();
}
