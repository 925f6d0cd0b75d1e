/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: which class, on which communicator's handler, how often. Prints it, to be compared with
 * what the same program prints without the library.
 *   errors illegal|truncated|later fatal|abort|return|handler    later: truncated, not waiting */
#include "support/check.h"

static int handled;
static int handled_class;
static int handled_world;

static void note(MPI_Comm* comm, int* code, ...) {
  int same;
  ++handled;
  MPI_Error_class(*code, &handled_class);
  MPI_Comm_compare(*comm, MPI_COMM_WORLD, &same);
  handled_world = same == MPI_IDENT;
}

static const char* name_of(int code) {
  static const struct {
    int class;
    const char* name;
  } names[] = {
      {MPI_SUCCESS, "SUCCESS"},   {MPI_ERR_COUNT, "COUNT"}, {MPI_ERR_TYPE, "TYPE"},
      {MPI_ERR_ROOT, "ROOT"},     {MPI_ERR_OP, "OP"},       {MPI_ERR_COMM, "COMM"},
      {MPI_ERR_BUFFER, "BUFFER"}, {MPI_ERR_ARG, "ARG"},     {MPI_ERR_TRUNCATE, "TRUNCATE"}};
  int class;
  MPI_Error_class(code, &class);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (names[i].class == class) return names[i].name;
  }
  return "another";
}

/* MPICH 5 returns MPI_SUCCESS after a handler of the user's. A line goes out as a whole: what
 * another rank prints meanwhile may not come between. */
static void tell(const char* what, int code) {
  char handles[64] = "";
  if (handled > 0) {
    snprintf(handles, sizeof handles, ", handles %s %d times%s", name_of(handled_class), handled,
             handled_world ? " by world" : "");
  }
  printf("%s: returns %s%s\n", what, name_of(code), handles);
  handled = 0;
}

/* Handles that are zero, as those of variables that nobody sets. (Where there is no operation, or
 * no type to combine, some MPI libraries end with a signal.) */
static void never_set(MPI_Comm comm) {
  static MPI_Datatype type;
  static MPI_Comm nowhere;
  int in[64] = {0}, out[64] = {0};
  tell("bcast no type", MPI_Bcast(in, 1, type, 0, comm));
  tell("allgather no type", MPI_Allgather(in, 1, type, out, 1, MPI_INT, comm));
#ifndef OMPI_MAJOR_VERSION
  static MPI_Op op;
  tell("allreduce no op", MPI_Allreduce(in, out, 1, MPI_INT, op, comm));
  tell("reduce no op", MPI_Reduce(in, out, 1, MPI_INT, op, 0, comm));
#endif
  tell("barrier no comm", MPI_Barrier(nowhere));
  tell("allreduce no comm", MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, nowhere));
  tell("free no comm", MPI_Comm_free(&nowhere));
}

static void illegal(MPI_Comm comm) {
  const int size = check_size(comm);
  int in[64] = {0}, out[64] = {0};
  tell("bcast count", MPI_Bcast(in, -1, MPI_INT, 0, comm));
  tell("bcast root", MPI_Bcast(in, 1, MPI_INT, size, comm));
  tell("bcast negative root", MPI_Bcast(in, 1, MPI_INT, -7, comm));
  tell("bcast type", MPI_Bcast(in, 1, MPI_DATATYPE_NULL, 0, comm));
  tell("allgather count", MPI_Allgather(in, 1, MPI_INT, out, -1, MPI_INT, comm));
  tell("allgather type", MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_DATATYPE_NULL, comm));
  tell("allreduce op", MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm));
  tell("allreduce op of type", MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm));
  tell("reduce root", MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, -9, comm));
  tell("reduce op", MPI_Reduce(in, out, 1, MPI_INT, MPI_OP_NULL, 0, comm));
  tell("barrier comm", MPI_Barrier(MPI_COMM_NULL));
  tell("bcast comm", MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_NULL));
  never_set(comm);
}

/* The root sends more than the others take. */
static void truncated(MPI_Comm comm) {
  int data[64] = {0};
  const int root = check_rank(comm) == 0;
  const int code = MPI_Bcast(data, root ? 64 : 4, MPI_INT, 0, comm);
  if (!root) tell("bcast truncated", code);
}

static void truncated_later(MPI_Comm comm) {
  int data[64] = {0};
  MPI_Request request;
  MPI_Ibcast(data, check_rank(comm) == 0 ? 64 : 4, MPI_INT, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* scene = argc > 1 ? argv[1] : "";
  const char* handling = argc > 2 ? argv[2] : "fatal";
  MPI_Comm comm;
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  check_collectives(comm, 3);
  if (strcmp(handling, "return") == 0) handler = MPI_ERRORS_RETURN;
#ifdef MPI_ERRORS_ABORT /* from MPI 4.0 on */
  if (strcmp(handling, "abort") == 0) handler = MPI_ERRORS_ABORT;
#endif
  if (strcmp(handling, "handler") == 0) MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  if (strcmp(scene, "truncated") == 0) truncated(comm);
  if (strcmp(scene, "later") == 0) truncated_later(comm);
  if (strcmp(scene, "illegal") == 0 && check_rank(comm) == 0) illegal(comm);
  fflush(stdout);
  check_collectives(comm, 3); /* an error of one call does not spoil the next */
  return check_end();
}
