// SPDX-License-Identifier: Apache-2.0
// Whether an address is in the memory of a GPU, which the processor may not be able to read.
#pragma once

namespace roundelay::mpi {

// Whether this process might ever use such memory: the machine has a device of one of the drivers,
// or a runtime that knows its memory (CUDA, ROCm, Level Zero) is loaded. Where no rank might,
// nobody asks again.
[[nodiscard]] bool may_use_device_memory();

// Whether a runtime is loaded now. Takes some 10 ns, more after libraries were loaded. Loads none.
[[nodiscard]] bool device_runtime_is_loaded();

// Asks every runtime that is loaded, as of the last device_runtime_is_loaded(). Managed and shared
// memory, which moves between processor and GPU, is memory of the GPU here. Memory of the
// processor that is pinned for a GPU is not.
[[nodiscard]] bool is_device_memory(const void* address) noexcept;

}  // namespace roundelay::mpi
