// SPDX-License-Identifier: Apache-2.0
#include "mpi/kept_arguments.hpp"

#include <algorithm>
#include <mutex>

namespace roundelay::mpi {

namespace {

// An operation of the program that calls need.
struct KeptOperation {
  MPI_Op op;
  int calls;
  int (*free)(MPI_Op*);  // the program has freed it
};

// Never destroyed: calls may end while the process does.
struct KeptOperations {
  std::mutex mutex;
  std::vector<KeptOperation> all;
};
KeptOperations& kept_operations() {
  static auto* const one = new KeptOperations;
  return *one;
}

void keep(MPI_Op op) {
  KeptOperations& kept = kept_operations();
  const std::lock_guard lock(kept.mutex);
  const auto known = std::ranges::find(kept.all, op, &KeptOperation::op);
  if (known != kept.all.end()) {
    ++known->calls;
  } else {
    kept.all.push_back({op, 1, nullptr});
  }
}

void let_go(MPI_Op op) {
  KeptOperations& kept = kept_operations();
  int (*free)(MPI_Op*) = nullptr;
  {
    const std::lock_guard lock(kept.mutex);
    const auto known = std::ranges::find(kept.all, op, &KeptOperation::op);
    if (--known->calls > 0) return;
    free = known->free;
    kept.all.erase(known);
  }
  if (free != nullptr) free(&op);
}

}  // namespace

int free_operation(MPI_Op* op, int (*next)(MPI_Op*)) {
  if (op != nullptr) {
    KeptOperations& kept = kept_operations();
    const std::lock_guard lock(kept.mutex);
    const auto known = std::ranges::find(kept.all, *op, &KeptOperation::op);
    if (known != kept.all.end()) {
      known->free = next;
      *op = MPI_OP_NULL;
      return MPI_SUCCESS;
    }
  }
  return next(op);
}

KeptArguments::~KeptArguments() {
  for (Type& type : types_) {
    if (type.reference != MPI_DATATYPE_NULL) PMPI_Type_free(&type.reference);
  }
  if (op_ != MPI_OP_NULL) let_go(op_);
}

Operation KeptArguments::lasting(Operation operation, bool predefined) {
  if (!predefined) {
    keep(operation.op);
    op_ = operation.op;
  }
  if (!operation.type->predefined) operation.type = kept(operation.type);
  return operation;
}

// A type lives as long as one that was made of it.
const Datatype* KeptArguments::kept(const Datatype* type) {
  const auto is_it = [type](const Type& one) {
    return &one.description == type || one.description.handle == type->handle;
  };
  // Most calls have one or two; of an alltoallw with many, only the last ones are looked at.
  constexpr std::ptrdiff_t looked_at = 4;
  const auto end = std::ranges::next(types_.begin(), looked_at, types_.end());
  if (const auto known = std::find_if(types_.begin(), end, is_it); known != end) {
    return &known->description;
  }
  Type& added = types_.emplace_front(Type{*type});
  PMPI_Type_contiguous(1, type->handle, &added.reference);
  return &added.description;
}

}  // namespace roundelay::mpi
