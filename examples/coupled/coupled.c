/* SPDX-License-Identifier: Apache-2.0 */
/* Two coupled models: air and sea warm each other at the surface between them.
 *
 * Both know the temperature of every cell of one surface on their side of it, spread over their own
 * ranks: the air in blocks of neighbours, the sea in turn (cell i is rank i mod q's). In every step
 * each model gets the whole surface of the other by one MPI_Allgather on the intercommunicator and
 * moves towards it. The exact answer is known: the sum of both sides of a cell stays, and their
 * difference shrinks by the same factor in every step. So the program checks its numbers.
 *
 *   mpiexec -n 6 ./coupled [ranks of the air] [cells] [steps]
 *
 * Prints the same with any algorithm, but for the line that begins with "time". */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double exchange = 0.05; /* of the difference, in one step */

typedef struct {
  int is_air;
  int ranks;
  int cells; /* of each rank; those beyond the last cell of the surface are nobody's */
} Model;

static Model model(int is_air, int ranks, int surface) {
  const Model made = {is_air, ranks, (surface + ranks - 1) / ranks};
  return made;
}

/* Which cell of the surface is cell i of a rank. */
static int cell_of(const Model* m, int rank, int i) {
  return m->is_air ? rank * m->cells + i : i * m->ranks + rank;
}

/* Where a cell of the surface lies among the cells of all ranks, one rank after the other. */
static int place_of(const Model* m, int cell) {
  return m->is_air ? cell : cell % m->ranks * m->cells + cell / m->ranks;
}

static double at_first(int is_air, int cell) {
  return is_air ? 10 + 5 * sin(0.01 * cell) : 15 + 2 * cos(0.03 * cell);
}

static double after(int is_air, int cell, int steps) {
  const double sum = at_first(0, cell) + at_first(1, cell);
  const double difference = at_first(1, cell) - at_first(0, cell);
  return (sum + (is_air ? 1 : -1) * difference * pow(1 - 2 * exchange, steps)) / 2;
}

static double* doubles(int count) {
  double* memory = calloc((size_t)count, sizeof(double));
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int air_ranks = argc > 1 ? atoi(argv[1]) : (size + 2) / 3;
  const int surface = argc > 2 ? atoi(argv[2]) : 100000;
  const int steps = argc > 3 ? atoi(argv[3]) : 50;
  if (air_ranks < 1 || air_ranks >= size || surface < 1) {
    if (rank == 0) fprintf(stderr, "each model needs a rank, and the surface a cell\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  const int is_air = rank < air_ranks;
  const Model mine = model(is_air, is_air ? air_ranks : size - air_ranks, surface);
  const Model theirs = model(!is_air, size - mine.ranks, surface);
  MPI_Comm own, both;
  MPI_Comm_split(MPI_COMM_WORLD, is_air, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, is_air ? air_ranks : 0, 1, &both);
  MPI_Comm_rank(own, &rank);

  double* here = doubles(mine.cells);
  double* there = doubles(theirs.cells * theirs.ranks);
  for (int i = 0; i < mine.cells; ++i) here[i] = at_first(is_air, cell_of(&mine, rank, i));
  double in_exchanges = 0;
  for (int step = 0; step < steps; ++step) {
    const double begun = MPI_Wtime();
    MPI_Allgather(here, mine.cells, MPI_DOUBLE, there, theirs.cells, MPI_DOUBLE, both);
    in_exchanges += MPI_Wtime() - begun;
    for (int i = 0; i < mine.cells; ++i) {
      const int cell = cell_of(&mine, rank, i);
      if (cell < surface) here[i] += exchange * (there[place_of(&theirs, cell)] - here[i]);
    }
  }

  double error = 0;
  for (int i = 0; i < mine.cells; ++i) {
    const int cell = cell_of(&mine, rank, i);
    if (cell < surface) error = fmax(error, fabs(here[i] - after(is_air, cell, steps)));
  }
  double worst = 0, longest = 0;
  MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&in_exchanges, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int right = worst < 1e-9;
  if (rank == 0) {
    printf("%d ranks of air, %d of sea, %d cells, %d steps\n", air_ranks, size - air_ranks, surface,
           steps);
    printf("%s\n", right ? "right" : "WRONG");
    printf("time: %.3f ms an exchange\n", 1e3 * longest / steps);
  }
  free(here);
  free(there);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return rank == 0 && !right;
}
