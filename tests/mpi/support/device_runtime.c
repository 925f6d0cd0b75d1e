/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for a runtime of GPUs: CUDA, ROCM or LEVEL_ZERO is defined. It knows the memory of
 * device.c. Not initialised before device_runtime_begin(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

static int begun;

void device_runtime_begin(void) { begun = 1; }

static int owns(const void* address) {
  int (*device_owns)(const void*);
  *(void**)&device_owns = dlsym(RTLD_DEFAULT, "device_owns");
  return device_owns(address);
}

#if defined(CUDA)
int cuPointerGetAttribute(void* value, int attribute, uintptr_t address) {
  if (!begun) return 3;                                  /* CUDA_ERROR_NOT_INITIALIZED */
  if (attribute != 2 || !owns((void*)address)) return 1; /* CUDA_ERROR_INVALID_VALUE */
  *(unsigned*)value = 2;                                 /* CU_MEMORYTYPE_DEVICE */
  return 0;
}
#elif defined(ROCM)
struct info {
  uint32_t size, type;
  void *agent_base, *host_base;
  size_t bytes;
  void* user_data;
  uint64_t owner;
};
int hsa_amd_pointer_info(const void* address, struct info* info, void* a, void* b, void* c) {
  (void)a, (void)b, (void)c;
  if (!begun) return 0x100B; /* HSA_STATUS_ERROR_NOT_INITIALIZED */
  info->type = owns(address) ? 1 : 0;
  info->owner = 7;
  return 0;
}
int hsa_agent_get_info(uint64_t agent, int attribute, void* value) {
  if (agent != 7 || attribute != 17) return 0x1001; /* HSA_STATUS_ERROR_INVALID_ARGUMENT */
  *(uint32_t*)value = 1;                            /* HSA_DEVICE_TYPE_GPU */
  return 0;
}
#elif defined(LEVEL_ZERO)
struct properties {
  uint32_t structure;
  void* next;
  uint32_t type;
  uint64_t id, page_size;
};
static int context;
int zeDriverGet(uint32_t* count, void** drivers) {
  if (!begun) return 0x78000001; /* ZE_RESULT_ERROR_UNINITIALIZED */
  *count = 1;
  drivers[0] = &begun;
  return 0;
}
int zeContextCreate(void* driver, const uint32_t* description, void** made) {
  if (driver != &begun || *description != 0x0d) return 0x78000004;
  *made = &context;
  return 0;
}
int zeMemGetAllocProperties(void* of, const void* address, struct properties* properties,
                            void** device) {
  if (of != &context || properties->structure != 0x17 || device != NULL) return 0x78000004;
  properties->type = owns(address) ? 2 : 0; /* ZE_MEMORY_TYPE_DEVICE or _UNKNOWN */
  return 0;
}
#endif
