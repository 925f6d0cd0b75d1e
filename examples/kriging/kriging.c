/* SPDX-License-Identifier: Apache-2.0 */
/* Kriging (Gaussian process regression): which weights make stations explain what they measured?
 *
 * Rank 0 has the stations and their measurements y. The covariance matrix K of the stations is
 * full, symmetric and positive definite; its rows are spread over the ranks and K w = y is solved
 * by conjugate gradients. Every product needs the whole direction (MPI_Allgather), every step two
 * inner products (MPI_Allreduce); the measurements come by MPI_Bcast, the worst error goes by
 * MPI_Reduce. The measurements were made from known weights, so the program checks its answer.
 *
 *   mpiexec -n 4 ./kriging [stations]
 *
 * Prints the same with any order of summation, but for the line that begins with "time". */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double reach = 0.02; /* beyond it stations hardly know of each other */
static const double nugget = 0.1; /* variance of a single measurement */
static const double tolerance = 1e-12;

static double in_collectives;

/* Times a collective call. */
#define COLLECTIVE(call)                   \
  do {                                     \
    const double begun = MPI_Wtime();      \
    call;                                  \
    in_collectives += MPI_Wtime() - begun; \
  } while (0)

typedef struct {
  int stations;
  int rows;       /* of each rank; those beyond the last station belong to nobody */
  int first;      /* row of this rank */
  double *x, *y;  /* where all stations are */
  double* kernel; /* this rank's rows of K */
} Problem;

static double* doubles(size_t count) {
  double* memory = calloc(count, sizeof(double));
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

/* A number in [0, 1), the same on every machine. */
static double scattered(unsigned i) {
  unsigned h = i * 2654435761u + 12345u;
  h = (h ^ (h >> 15)) * 2246822519u;
  h = (h ^ (h >> 13)) * 3266489917u;
  return (double)((h ^ (h >> 16)) >> 8) / (1 << 24);
}

static double covariance(const Problem* p, int i, int j) {
  if (i >= p->stations || j >= p->stations) return i == j;
  const double dx = p->x[i] - p->x[j];
  const double dy = p->y[i] - p->y[j];
  return exp(-(dx * dx + dy * dy) / (2 * reach * reach)) + (i == j ? nugget : 0);
}

static double known_weight(int i) { return i % 17 - 8; }

static double dot(const Problem* p, const double* a, const double* b) {
  double part = 0;
  double sum = 0;
  for (int i = 0; i < p->rows; ++i) part += a[i] * b[i];
  COLLECTIVE(MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  return sum;
}

/* product := K direction; each rank gives and gets its own rows. */
static void multiply(const Problem* p, int columns, const double* direction, double* whole,
                     double* product) {
  COLLECTIVE(
      MPI_Allgather(direction, p->rows, MPI_DOUBLE, whole, p->rows, MPI_DOUBLE, MPI_COMM_WORLD));
  for (int i = 0; i < p->rows; ++i) {
    const double* row = p->kernel + (size_t)i * (size_t)columns;
    double sum = 0;
    for (int j = 0; j < columns; ++j) sum += row[j] * whole[j];
    product[i] = sum;
  }
}

/* Solves K w = y by conjugate gradients. */
static void solve(const Problem* p, int columns, const double* y, double* w) {
  const size_t rows = (size_t)p->rows;
  double *residual = doubles(rows), *direction = doubles(rows), *product = doubles(rows);
  double* whole = doubles((size_t)columns);
  for (size_t i = 0; i < rows; ++i) residual[i] = direction[i] = y[i];
  double square = dot(p, residual, residual);
  const double enough = square * tolerance * tolerance;
  for (int step = 0; step < 10 * columns && square > enough; ++step) {
    multiply(p, columns, direction, whole, product);
    const double length = square / dot(p, direction, product);
    for (size_t i = 0; i < rows; ++i) w[i] += length * direction[i];
    for (size_t i = 0; i < rows; ++i) residual[i] -= length * product[i];
    const double before = square;
    square = dot(p, residual, residual);
    for (size_t i = 0; i < rows; ++i) direction[i] = residual[i] + square / before * direction[i];
  }
  free(residual);
  free(direction);
  free(product);
  free(whole);
}

/* What rank 0 knows and tells the others: where the stations are and what they measured. */
static void measure(Problem* p, int rank, int columns, double* measured) {
  if (rank == 0) {
    for (int i = 0; i < p->stations; ++i) {
      p->x[i] = scattered(2 * (unsigned)i);
      p->y[i] = scattered(2 * (unsigned)i + 1);
    }
    for (int i = 0; i < p->stations; ++i) {
      for (int j = 0; j < p->stations; ++j) measured[i] += covariance(p, i, j) * known_weight(j);
    }
  }
  COLLECTIVE(MPI_Bcast(p->x, p->stations, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  COLLECTIVE(MPI_Bcast(p->y, p->stations, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  COLLECTIVE(MPI_Bcast(measured, columns, MPI_DOUBLE, 0, MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Problem p = {.stations = argc > 1 ? atoi(argv[1]) : 1200};
  p.rows = (p.stations + size - 1) / size;
  p.first = rank * p.rows;
  const int columns = p.rows * size;
  p.x = doubles((size_t)p.stations);
  p.y = doubles((size_t)p.stations);
  double* measured = doubles((size_t)columns);
  double* w = doubles((size_t)p.rows);

  measure(&p, rank, columns, measured);
  p.kernel = doubles((size_t)p.rows * (size_t)columns);
  for (int i = 0; i < p.rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      p.kernel[(size_t)i * (size_t)columns + (size_t)j] = covariance(&p, p.first + i, j);
    }
  }
  COLLECTIVE(MPI_Barrier(MPI_COMM_WORLD));
  in_collectives = 0;
  const double begun = MPI_Wtime();
  solve(&p, columns, measured + p.first, w);
  double times[2] = {MPI_Wtime() - begun, in_collectives}, slowest[2];

  double error = 0, worst = 0, sum = 0, total = 0;
  for (int i = 0; i < p.rows && p.first + i < p.stations; ++i) {
    error = fmax(error, fabs(w[i] - known_weight(p.first + i)));
    sum += fabs(w[i]);
  }
  MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(times, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int right = worst < 1e-6;
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("stations          %d on %d ranks\n", p.stations, size);
    printf("sum of |weights|  %.4f\n", total);
    printf("largest error     %s 1e-6\n", right ? "below" : "NOT below");
    printf("answer            %s\n", right ? "right" : "WRONG");
    printf("time              %.3f s, %.3f s of it in collectives\n", slowest[0], slowest[1]);
  }
  free(p.kernel);
  free(p.x);
  free(p.y);
  free(measured);
  free(w);
  MPI_Finalize();
  return right ? 0 : 1;
}
