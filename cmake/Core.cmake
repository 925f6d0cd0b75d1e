# SPDX-License-Identifier: Apache-2.0
# roundelay_core: everything that knows no MPI. An object library: who links it gets every object,
# so that no algorithm's registration is dropped as a linker would drop it from an archive.
set(patterns "")
foreach(folder schedule algorithms interpret choose)
  list(APPEND patterns ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
endforeach()
include(BuiltInProfiles)
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${patterns})

add_library(roundelay_core OBJECT ${core_sources})
target_include_directories(roundelay_core PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_include_directories(roundelay_core SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/third_party/rapidjson)
target_sources(roundelay_core PRIVATE ${built_in_profiles_source})
target_link_libraries(roundelay_core PUBLIC roundelay_options Threads::Threads)
