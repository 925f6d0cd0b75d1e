// SPDX-License-Identifier: Apache-2.0
#include "mpi/datatype.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/self_communicator.hpp"

namespace roundelay::mpi {

namespace {

// A type without gaps may still list its bytes in another order than memory does. Two elements with
// different random contents that pack to themselves settle it.
bool packs_to_itself(const Datatype& type) {
  if (type.size != type.extent || type.extent != type.true_extent || type.true_lb != 0)
    return false;
  constexpr std::int64_t worth_probing = std::int64_t{1} << 20;
  if (type.size == 0 || type.size > worth_probing) return type.size == 0;
  std::vector<std::byte> memory(static_cast<std::size_t>(type.size));
  std::vector<std::byte> packed(memory.size());
  std::uint32_t state = 2463534242U;
  for (int probe = 0; probe < 2; ++probe) {
    for (std::byte& byte : memory) {
      state ^= state << 13U;
      state ^= state >> 17U;
      state ^= state << 5U;
      byte = static_cast<std::byte>(state & 0xffU);
    }
    const int error = SelfCommunicator::with([&](MPI_Comm comm) {
      int position = 0;
      return PMPI_Pack(memory.data(), 1, type.handle, packed.data(),
                       static_cast<int>(packed.size()), &position, comm);
    });
    if (error != MPI_SUCCESS || memory != packed) return false;
  }
  return true;
}

Datatype measure(MPI_Datatype handle);

// How a type was made, and how many arguments of each kind that took. Of a type that was made with
// large counts only their functions tell.
#if ROUNDELAY_HAVE_LARGE_COUNT
using Count = MPI_Count;
#else
using Count = int;
#endif
struct Envelope {
  Count integers = 0;
  Count addresses = 0;
  Count large_counts = 0;
  Count types = 0;
  int combiner = 0;

  explicit Envelope(MPI_Datatype type) {
#if ROUNDELAY_HAVE_LARGE_COUNT
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &combiner);
#else
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
  }
  // A predefined type, or one that stands for such a type and must not be freed either.
  [[nodiscard]] bool is_of_library() const noexcept {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }
};

// Of a type that only repeats or renames another: as contiguous as that one.
bool inner_is_contiguous(const Datatype& type, const Envelope& envelope) {
  std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses));
  std::vector<MPI_Datatype> inner(static_cast<std::size_t>(envelope.types));
#if ROUNDELAY_HAVE_LARGE_COUNT
  std::vector<MPI_Count> large_counts(static_cast<std::size_t>(envelope.large_counts));
  PMPI_Type_get_contents_c(type.handle, envelope.integers, envelope.addresses,
                           envelope.large_counts, envelope.types, integers.data(), addresses.data(),
                           large_counts.data(), inner.data());
#else
  PMPI_Type_get_contents(type.handle, envelope.integers, envelope.addresses, envelope.types,
                         integers.data(), addresses.data(), inner.data());
#endif
  bool contiguous = true;
  for (MPI_Datatype& each : inner) {
    // Not described: it may never have been committed.
    contiguous = contiguous && measure(each).contiguous;
    if (!Envelope(each).is_of_library()) PMPI_Type_free(&each);
  }
  return contiguous;
}

bool is_contiguous(const Datatype& type) {
  const Envelope envelope(type.handle);
  if (envelope.combiner == MPI_COMBINER_NAMED) {
    return type.size == type.extent && type.true_extent == type.extent && type.true_lb == 0;
  }
  if (envelope.combiner == MPI_COMBINER_CONTIGUOUS || envelope.combiner == MPI_COMBINER_DUP) {
    return inner_is_contiguous(type, envelope);
  }
  return packs_to_itself(type);
}

Datatype measure(MPI_Datatype handle) {
  MPI_Count size = 0;
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  MPI_Count true_lb = 0;
  MPI_Count true_extent = 0;
  PMPI_Type_size_x(handle, &size);
  PMPI_Type_get_extent_x(handle, &lb, &extent);
  PMPI_Type_get_true_extent_x(handle, &true_lb, &true_extent);
  Datatype type{handle, size, extent, true_lb, true_extent, false, false, nullptr};
  type.contiguous = is_contiguous(type);
  type.predefined = Envelope(handle).combiner == MPI_COMBINER_NAMED;
  type.loops = &find_combining_loops(handle, size);
  return type;
}

int forget(MPI_Datatype /*type*/, int /*key*/, void* description, void* /*extra*/) {
  delete static_cast<Datatype*>(description);
  return MPI_SUCCESS;
}

// As MPI_Pack says.
bool was_committed(MPI_Datatype type) {
  return SelfCommunicator::with([&](MPI_Comm comm) {
    char nothing = 0;
    int position = 0;
    return PMPI_Pack(&nothing, 0, type, &nothing, 1, &position, comm) == MPI_SUCCESS;
  });
}

constinit std::mutex attaching;

// Types carry their description with them, so that it ends when they do. Several threads may ask
// for the same type at once: to look for the attribute and to set it is one critical section.
const Datatype& describe_attached(MPI_Datatype handle) {
  static const int key = [] {
    int created = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &created, nullptr);
    return created;
  }();
  const auto attached = [&]() -> const Datatype* {
    void* found = nullptr;
    int present = 0;
    PMPI_Type_get_attr(handle, key, &found, &present);
    return present != 0 ? static_cast<const Datatype*>(found) : nullptr;
  };
  if (const std::lock_guard lock(attaching); const Datatype* known = attached()) return *known;
  if (!was_committed(handle)) throw NotCommitted();
  auto description = std::make_unique<Datatype>(measure(handle));  // asks for other types, too
  const std::lock_guard lock(attaching);
  if (const Datatype* known = attached()) return *known;
  PMPI_Type_set_attr(handle, key, description.get());
  return *description.release();  // forget() deletes it
}

constexpr std::int64_t largest_piece = std::int64_t{1} << 30;

// What MPI_Pack cannot do goes through a message to this rank itself: a type that is larger than it
// can count, and MPI_BOTTOM, which is NULL and which MPICH's MPI_Pack takes for a mistake.
bool needs_message(const void* user, std::int64_t bytes) {
  return bytes > largest_piece || user == MPI_BOTTOM;
}

// Of what is sent: a message may be either.
void* address(const void* memory) { return const_cast<void*>(memory); }

int send_to_self(const Elements& to, const Elements& from) {
  const NoSteps no_steps;  // the memory of the message may be what a step would use, too
  const MPI_Comm comm = SelfCommunicator::get();
  if (comm == MPI_COMM_NULL) return MPI_ERR_NO_MEM;
  const SelfTag tag;
  const Peer self{0, tag.number(), comm};
  return send_and_receive(from, self, to, self);
}

// One type of so many bytes.
class ByteType {
 public:
  explicit ByteType(std::int64_t bytes) {
    const auto pieces = static_cast<int>(bytes / largest_piece);
    const auto rest = static_cast<int>(bytes % largest_piece);
    MPI_Datatype piece = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous(static_cast<int>(largest_piece), MPI_BYTE, &piece);
    const std::array<int, 2> lengths{pieces, rest};
    const std::array<MPI_Aint, 2> offsets{0, pieces * largest_piece};
    const std::array<MPI_Datatype, 2> types{piece, MPI_BYTE};
    PMPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &type_);
    PMPI_Type_commit(&type_);
    PMPI_Type_free(&piece);
  }
  ByteType(const ByteType&) = delete;
  ByteType& operator=(const ByteType&) = delete;
  ~ByteType() { PMPI_Type_free(&type_); }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Calls piece(first element, elements) for runs of elements that MPI_Pack can count.
template <typename Piece>
int in_pieces(std::int64_t count, const Datatype& type, const Piece& piece) {
  const std::int64_t most =
      std::max<std::int64_t>(1, largest_piece / std::max<std::int64_t>(1, type.size));
  for (std::int64_t done = 0; done < count; done += most) {
    const int error = piece(done, std::min(most, count - done));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

const Datatype& describe_new(MPI_Datatype handle) {
  if (handle == MPI_Datatype{}) throw NotCommitted();
  if (Envelope(handle).combiner != MPI_COMBINER_NAMED) return describe_attached(handle);
  std::atomic<const Datatype*>& slot = slot_of(handle);
  const Datatype* nobody = nullptr;
  if (slot.load(std::memory_order_acquire) != nullptr) return describe_attached(handle);
  auto description = std::make_unique<const Datatype>(measure(handle));
  if (!slot.compare_exchange_strong(nobody, description.get(), std::memory_order_acq_rel)) {
    return describe_attached(handle);
  }
  return *description.release();  // kept as long as the process runs
}

int pack(std::byte* packed, const void* user, std::int64_t count, const Datatype& type) {
  const auto* from = static_cast<const std::byte*>(user);
  if (type.contiguous) {
    if (count > 0) std::memcpy(packed, from, static_cast<std::size_t>(count * type.size));
    return MPI_SUCCESS;
  }
  return in_pieces(count, type, [&](std::int64_t first, std::int64_t elements) {
    std::byte* to = packed + first * type.size;
    const std::int64_t bytes = elements * type.size;
    const std::byte* elements_at = from + first * type.extent;
    const int number = static_cast<int>(elements);
    if (needs_message(elements_at, bytes)) {
      const ByteType whole(bytes);
      return send_to_self({to, 1, whole.get()}, {address(elements_at), number, type.handle});
    }
    int position = 0;
    return PMPI_Pack(elements_at, number, type.handle, to, static_cast<int>(bytes), &position,
                     SelfCommunicator::get());
  });
}

int unpack(void* user, const std::byte* packed, std::int64_t count, const Datatype& type) {
  auto* to = static_cast<std::byte*>(user);
  if (type.contiguous) {
    if (count > 0) std::memcpy(to, packed, static_cast<std::size_t>(count * type.size));
    return MPI_SUCCESS;
  }
  return in_pieces(count, type, [&](std::int64_t first, std::int64_t elements) {
    const std::byte* from = packed + first * type.size;
    const std::int64_t bytes = elements * type.size;
    std::byte* elements_at = to + first * type.extent;
    const int number = static_cast<int>(elements);
    if (needs_message(elements_at, bytes)) {
      const ByteType whole(bytes);
      return send_to_self({elements_at, number, type.handle}, {address(from), 1, whole.get()});
    }
    int position = 0;
    return PMPI_Unpack(from, static_cast<int>(bytes), &position, elements_at, number, type.handle,
                       SelfCommunicator::get());
  });
}

int copy_by_message(void* into, const void* from, std::int64_t count, const Datatype& type) {
  return in_pieces(count, type, [&](std::int64_t first, std::int64_t elements) {
    const std::int64_t bytes = first * type.extent;
    const int number = static_cast<int>(elements);
    return send_to_self(
        {static_cast<std::byte*>(into) + bytes, number, type.handle},
        {address(static_cast<const std::byte*>(from) + bytes), number, type.handle});
  });
}

}  // namespace roundelay::mpi
