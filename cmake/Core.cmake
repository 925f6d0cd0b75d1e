# SPDX-License-Identifier: Apache-2.0
# What knows no MPI. Object libraries: who links one gets every object, so that no algorithm's
# registration is dropped as a linker would drop it from an archive.
#
#   roundelay_core        schedules, algorithms and the choice among them, with what of src/interpret
#                         the choice runs: a part of every library
#   roundelay_shared      messages through memory that processes share, or put into from afar: a part of every
#                         MPI's library
#   roundelay_interpret   what else proves, prices and traces them: a part of tools and tests only
include(BuiltInFiles)

function(roundelay_add_core_library name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns APPEND /*.cpp)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  add_library(${name} OBJECT ${sources})
endfunction()

set(chosen_by block_lengths call call_buffers call_contents passing node_links critical_path timeline slowdowns crossing)
list(TRANSFORM chosen_by PREPEND ${PROJECT_SOURCE_DIR}/src/interpret/)
list(TRANSFORM chosen_by APPEND .cpp)

roundelay_add_core_library(roundelay_core schedule algorithms choose)
target_sources(roundelay_core PRIVATE ${chosen_by})
target_include_directories(roundelay_core PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_include_directories(roundelay_core SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/third_party/rapidjson)
target_sources(roundelay_core PRIVATE ${built_in_files_source})
target_link_libraries(roundelay_core PUBLIC roundelay_options Threads::Threads)

roundelay_build_fast(roundelay_core 12 <algorithm> <array> <cmath> <functional> <map> <memory> <ranges> <string> <vector>
                     ${PROJECT_SOURCE_DIR}/src/algorithms/catalogue.hpp
                     ${PROJECT_SOURCE_DIR}/src/algorithms/parts/levels.hpp)

roundelay_add_core_library(roundelay_interpret interpret)
get_target_property(sources roundelay_interpret SOURCES)
list(REMOVE_ITEM sources ${chosen_by})
set_property(TARGET roundelay_interpret PROPERTY SOURCES ${sources})
target_include_directories(roundelay_interpret PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(roundelay_interpret PUBLIC roundelay_options Threads::Threads)
roundelay_build_fast(roundelay_interpret 4 <algorithm> <functional> <map> <string> <vector>
                     ${PROJECT_SOURCE_DIR}/src/algorithms/catalogue.hpp)

roundelay_add_core_library(roundelay_shared shared)
target_include_directories(roundelay_shared PUBLIC ${PROJECT_SOURCE_DIR}/src)
# rt: shm_open, before glibc 2.34.
target_link_libraries(roundelay_shared PUBLIC roundelay_options rt)
