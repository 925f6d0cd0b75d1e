// SPDX-License-Identifier: Apache-2.0
// The runtimes' own queries, found in the libraries that the program has loaded. What they take is
// declared here, so that nothing of them is needed to build this library. Sources: cuda.h,
// hsa_ext_amd.h, ze_api.h.
#include "mpi/device_memory.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace roundelay::mpi {

namespace {

// A runtime that is loaded. It is never unloaded from then on.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;
  [[nodiscard]] virtual bool owns(const void* address) const noexcept = 0;
};

// A function of a library, null if it is not there.
template <typename Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

class Cuda final : public Runtime {
 public:
  explicit Cuda(void* library)
      : attribute_of_(function_of<AttributeOf>(library, "cuPointerGetAttribute")) {}
  // An error: the address is none that CUDA knows, or it is not initialised.
  [[nodiscard]] bool owns(const void* address) const noexcept override {
    unsigned memory = 0;
    return attribute_of_ != nullptr &&
           attribute_of_(&memory, memory_type, reinterpret_cast<std::uintptr_t>(address)) == 0 &&
           memory == device;
  }

 private:
  using AttributeOf = int(void* value, int attribute, std::uintptr_t address);
  static constexpr int memory_type = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
  static constexpr unsigned device = 2;  // CU_MEMORYTYPE_DEVICE, of managed memory, too
  AttributeOf* attribute_of_;
};

// HIP's own query has other numbers in every major version; that of the runtime below it has not.
class Rocm final : public Runtime {
 public:
  explicit Rocm(void* library)
      : info_of_(function_of<InfoOf>(library, "hsa_amd_pointer_info")),
        about_agent_(function_of<AboutAgent>(library, "hsa_agent_get_info")) {}
  [[nodiscard]] bool owns(const void* address) const noexcept override {
    if (info_of_ == nullptr || about_agent_ == nullptr) return false;
    Info info{};
    info.size = sizeof(Info);
    if (info_of_(address, &info, nullptr, nullptr, nullptr) != 0) return false;
    if (info.type == unknown || info.type == locked) return false;
    std::uint32_t kind = 0;
    return about_agent_(info.owner, device_kind, &kind) == 0 && kind != processor;
  }

 private:
  struct Info {
    std::uint32_t size;
    std::uint32_t type;
    void* agent_base;
    void* host_base;
    std::size_t bytes;
    void* user_data;
    std::uint64_t owner;
  };
  using InfoOf = int(const void* address, Info* info, void* allocate, void* agents, void* list);
  using AboutAgent = int(std::uint64_t agent, int attribute, void* value);
  static constexpr std::uint32_t unknown = 0;    // HSA_EXT_POINTER_TYPE_UNKNOWN
  static constexpr std::uint32_t locked = 2;     // HSA_EXT_POINTER_TYPE_LOCKED: of the processor
  static constexpr int device_kind = 17;         // HSA_AGENT_INFO_DEVICE
  static constexpr std::uint32_t processor = 0;  // HSA_DEVICE_TYPE_CPU
  InfoOf* info_of_;
  AboutAgent* about_agent_;
};

// Its query needs a context. Those of the drivers see the allocations of others, too.
class LevelZero final : public Runtime {
 public:
  explicit LevelZero(void* library)
      : drivers_(function_of<Drivers>(library, "zeDriverGet")),
        create_(function_of<Create>(library, "zeContextCreate")),
        properties_of_(function_of<PropertiesOf>(library, "zeMemGetAllocProperties")) {}
  [[nodiscard]] bool owns(const void* address) const noexcept override {
    for (void* context : contexts()) {
      Properties properties{};
      properties.structure = memory_allocation_properties;
      if (properties_of_(context, address, &properties, nullptr) == 0 &&
          (properties.type == device || properties.type == shared)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Properties {
    std::uint32_t structure;
    void* next;
    std::uint32_t type;
    std::uint64_t id;
    std::uint64_t page_size;
  };
  struct Description {
    std::uint32_t structure;
    const void* next;
    std::uint32_t flags;
  };
  using Drivers = int(std::uint32_t* count, void** drivers);
  using Create = int(void* driver, const Description* description, void** context);
  using PropertiesOf = int(void* context, const void* address, Properties* properties,
                           void** device);
  static constexpr std::uint32_t context_description = 0x0d;           // ZE_STRUCTURE_TYPE_..
  static constexpr std::uint32_t memory_allocation_properties = 0x17;  // ZE_STRUCTURE_TYPE_..
  static constexpr std::uint32_t device = 2;                           // ZE_MEMORY_TYPE_DEVICE
  static constexpr std::uint32_t shared = 3;                           // ZE_MEMORY_TYPE_SHARED

  // None before the program has initialised Level Zero: then no address is its.
  [[nodiscard]] const std::vector<void*>& contexts() const noexcept {
    const std::lock_guard lock(mutex_);
    if (!contexts_.empty() || drivers_ == nullptr || create_ == nullptr ||
        properties_of_ == nullptr) {
      return contexts_;
    }
    std::array<void*, 16> drivers{};
    auto count = static_cast<std::uint32_t>(drivers.size());
    if (drivers_(&count, drivers.data()) != 0) return contexts_;
    const Description description{context_description, nullptr, 0};
    for (std::uint32_t i = 0; i < count; ++i) {
      void* context = nullptr;
      if (create_(drivers.at(i), &description, &context) == 0) contexts_.push_back(context);
    }
    return contexts_;
  }

  Drivers* drivers_;
  Create* create_;
  PropertiesOf* properties_of_;
  mutable std::mutex mutex_;
  mutable std::vector<void*> contexts_;
};

template <typename OfRuntime>
std::unique_ptr<Runtime> make(void* library) {
  return std::make_unique<OfRuntime>(library);
}

struct Kind {
  std::string_view library;  // how its name begins
  std::unique_ptr<Runtime> (*make)(void* library);
};
constexpr std::array<Kind, 3> kinds{Kind{"libcuda.so", make<Cuda>},
                                    Kind{"libhsa-runtime64.so", make<Rocm>},
                                    Kind{"libze_loader.so", make<LevelZero>}};

// Filled once each, in the order of `kinds`, and never changed again.
std::array<std::atomic<const Runtime*>, kinds.size()> runtimes;
std::atomic<unsigned long long> loads_looked_at{0};
std::atomic<bool> any_runtime{false};
constinit std::mutex looking;

// Counts what was ever loaded.
int count_loads(dl_phdr_info* info, std::size_t /*size*/, void* loads) {
  *static_cast<unsigned long long*>(loads) = info->dlpi_adds;
  return 1;  // the first object is enough
}

int note_path(dl_phdr_info* info, std::size_t /*size*/, void* paths) {
  if (info->dlpi_name != nullptr) {
    static_cast<std::vector<std::string>*>(paths)->emplace_back(info->dlpi_name);
  }
  return 0;
}

void look_for_runtimes() {
  const std::lock_guard lock(looking);
  std::vector<std::string> paths;
  dl_iterate_phdr(note_path, &paths);  // holds a lock of the loader: opens nothing meanwhile
  for (const std::string& path : paths) {
    const std::string name = path.substr(path.rfind('/') + 1);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!name.starts_with(kinds.at(i).library) || runtimes.at(i).load() != nullptr) continue;
      void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
      if (library == nullptr) continue;
      runtimes.at(i).store(kinds.at(i).make(library).release(), std::memory_order_release);
      any_runtime.store(true, std::memory_order_release);
    }
  }
}

bool machine_has_device() {
  constexpr std::array paths{"/dev/nvidiactl", "/dev/kfd", "/dev/dxg"};
  std::error_code ignored;
  for (const char* path : paths) {
    if (std::filesystem::exists(path, ignored)) return true;
  }
  // What only shows a picture, such as the console of a server, has no such device.
  for (const auto& file : std::filesystem::directory_iterator("/dev/dri", ignored)) {
    if (file.path().filename().string().starts_with("renderD")) return true;
  }
  return false;
}

}  // namespace

bool may_use_device_memory() {
  static const bool has_device = machine_has_device();
  return has_device || device_runtime_is_loaded();
}

bool device_runtime_is_loaded() {
  unsigned long long loads = 0;
  dl_iterate_phdr(count_loads, &loads);
  if (loads != loads_looked_at.load(std::memory_order_acquire)) [[unlikely]] {
    look_for_runtimes();
    loads_looked_at.store(loads, std::memory_order_release);
  }
  return any_runtime.load(std::memory_order_acquire);
}

bool is_device_memory(const void* address) noexcept {
  for (const auto& runtime : runtimes) {
    const Runtime* loaded = runtime.load(std::memory_order_acquire);
    if (loaded != nullptr && loaded->owns(address)) return true;
  }
  return false;
}

}  // namespace roundelay::mpi
