/* SPDX-License-Identifier: Apache-2.0 */
/* Types that differ between ranks, have gaps and begin before their address. Five elements of
 * twelve bytes go to three ranks or two, so that every cut into blocks is within an element.
 *   datatypes differing|combined|far */
#include <sys/mman.h>

#include "support/check.h"

enum { items = 5, ints = 3 * items, margin = 64, room = 512 };

/* Three ints: one after the other; or with gaps, the first one before the address, and last. */
static MPI_Datatype packed, scattered;
static const MPI_Aint places[3] = {8, -12, 0};
static const MPI_Aint extent = 32;

static void make_types(void) {
  const int lengths[3] = {1, 1, 1};
  MPI_Datatype spread;
  MPI_Type_contiguous(3, MPI_INT, &packed);
  MPI_Type_create_hindexed(3, lengths, places, MPI_INT, &spread);
  MPI_Type_create_resized(spread, -12, extent, &scattered);
  MPI_Type_commit(&packed);
  MPI_Type_commit(&scattered);
  MPI_Type_free(&spread);
}

typedef struct {
  char bytes[room * 4];
  MPI_Datatype type;
  int is_packed;
} Image;

static int* at(Image* image, int i) {
  const MPI_Aint place = image->is_packed ? 4 * i : i / 3 * extent + places[i % 3];
  return (int*)(image->bytes + margin + place);
}

/* Filled with a canary; its first `count` ints with first, first + 1 .. */
static void make(Image* image, int is_packed, int count, int first) {
  memset(image->bytes, 42, sizeof image->bytes);
  image->type = is_packed ? packed : scattered;
  image->is_packed = is_packed;
  for (int i = 0; i < count; ++i) *at(image, i) = first + i;
}

/* Takes the ints away; then only canaries are left. */
static void check_image(Image* image, int count, int first) {
  for (int i = 0; i < count; ++i) {
    CHECK(*at(image, i) == first + i);
    memset(at(image, i), 42, sizeof(int));
  }
  for (size_t i = 0; i < sizeof image->bytes; ++i) CHECK(image->bytes[i] == 42);
}

static void differing(MPI_Comm comm) {
  static Image in, out;
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  for (int root = 0; root < size; ++root) {
    make(&out, rank % 2, rank == root ? ints : 0, 1000);
    MPI_Bcast(out.bytes + margin, items, out.type, root, comm);
    check_image(&out, ints, 1000);

    /* The same signature by another count. */
    int data[ints];
    check_fill(data, ints, rank == root ? 7 : 0, rank == root);
    MPI_Bcast(data, rank % 2 ? ints : items, rank % 2 ? MPI_INT : packed, root, comm);
    CHECK(check_run(data, ints, 7, 1));

    make(&in, rank % 2, ints, ints * rank);
    make(&out, (rank + 1) % 2, 0, 0);
    MPI_Gather(in.bytes + margin, items, in.type, out.bytes + margin, items, out.type, root, comm);
    check_image(&out, rank == root ? size * ints : 0, 0);

    make(&in, rank % 2, size * ints, 0);
    make(&out, (rank + 1) % 2, 0, 0);
    MPI_Scatter(in.bytes + margin, items, in.type, out.bytes + margin, items, out.type, root, comm);
    check_image(&out, ints, ints * rank);
  }
  make(&in, rank % 2, ints, ints * rank);
  make(&out, (rank + 1) % 2, 0, 0);
  MPI_Allgather(in.bytes + margin, items, in.type, out.bytes + margin, items, out.type, comm);
  check_image(&out, size * ints, 0);

  make(&in, rank % 2, size * ints, 0);
  make(&out, (rank + 1) % 2, 0, 0);
  MPI_Alltoall(in.bytes + margin, items, in.type, out.bytes + margin, items, out.type, comm);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < ints; ++i) {
      CHECK(*at(&out, r * ints + i) == rank * ints + i);
      *at(&out, r * ints + i) = r * ints + i;
    }
  }
  check_image(&out, size * ints, 0);
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < 3 * *length; ++i) {
    const MPI_Aint place = i / 3 * extent + places[i % 3];
    *(int*)((char*)inout + place) += *(int*)((char*)in + place);
  }
}

/* Between the elements, and within them, nothing is written. */
static void combined(MPI_Comm comm) {
  static Image in, out;
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  char* const mine = in.bytes + margin;
  char* const result = out.bytes + margin;
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  for (int kind = 0; kind < 5; ++kind) {
    make(&in, 0, size * ints, rank);
    make(&out, 0, 0, 0);
    int terms = size;
    int shift = 0;
    if (kind == 0) MPI_Allreduce(mine, result, items, scattered, op, comm);
    if (kind == 1) MPI_Reduce_scatter_block(mine, result, items, scattered, op, comm);
    if (kind == 1) shift = size * rank * ints;
    if (kind == 2) MPI_Reduce(mine, result, items, scattered, op, size - 1, comm);
    if (kind == 2) terms = rank == size - 1 ? size : 0;
    if (kind == 3) MPI_Scan(mine, result, items, scattered, op, comm);
    if (kind == 3) terms = rank + 1;
    if (kind == 4) MPI_Exscan(mine, result, items, scattered, op, comm);
    if (kind == 4) terms = rank;
    for (int i = 0; i < ints && terms > 0; ++i) {
      CHECK(*at(&out, i) == shift + terms * (terms - 1) / 2 + terms * i);
      *at(&out, i) = i;
    }
    check_image(&out, terms > 0 ? ints : 0, 0);
  }
  MPI_Op_free(&op);
}

/* Few bytes far from each other: no offset fits an int. The pages between are never touched. */
static void far(MPI_Comm comm) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  const MPI_Aint step = (MPI_Aint)1 << 31;
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, step, &type);
  MPI_Type_commit(&type);
  char* data = mmap(NULL, (size_t)(size * step), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(data != MAP_FAILED);
  MPI_Allgather(&rank, 1, MPI_INT, data, 1, type, comm);
  for (int r = 0; r < size; ++r) CHECK(*(int*)(data + r * step) == r);
  for (int r = 0; r < size; ++r) *(int*)(data + r * step) = 100 * rank + r;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, type, comm);
  for (int r = 0; r < size; ++r) CHECK(*(int*)(data + r * step) == 100 * r + rank);
  munmap(data, (size_t)(size * step));
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  make_types();
  const char* scene = argc > 1 ? argv[1] : "";
  if (strcmp(scene, "differing") == 0) differing(MPI_COMM_WORLD);
  if (strcmp(scene, "combined") == 0) combined(MPI_COMM_WORLD);
  if (strcmp(scene, "far") == 0) far(MPI_COMM_WORLD);
  MPI_Type_free(&packed);
  MPI_Type_free(&scattered);
  return check_end();
}
