# SPDX-License-Identifier: Apache-2.0
# simulation.so: a benchmark of the collectives, for SMPI, SimGrid's MPI, where that is here. SMPI
# loads a copy of it for every rank, so Roundelay is linked into it: whoever is preloaded, or is a
# library of its own, would be there once for all ranks. This is what `smpicxx` would do, but for
# standing sleep() and malloc() in for the system's.
find_path(ROUNDELAY_SMPI_INCLUDE_DIR smpi/mpi.h)
find_library(ROUNDELAY_SIMGRID_LIBRARY simgrid)
mark_as_advanced(ROUNDELAY_SMPI_INCLUDE_DIR ROUNDELAY_SIMGRID_LIBRARY)
if(NOT ROUNDELAY_SMPI_INCLUDE_DIR OR NOT ROUNDELAY_SIMGRID_LIBRARY)
  if(ROUNDELAY_SIMULATION STREQUAL "ON")
    message(FATAL_ERROR "ROUNDELAY_SIMULATION: SimGrid was not found; on Debian: apt-get install libsimgrid-dev")
  endif()
  message(STATUS "SimGrid was not found: `roundelay simulate` is not built")
  return()
endif()

file(GLOB simulation_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/simulate/*.cpp)
add_library(roundelay_simulation MODULE ${simulation_sources} ${mpi_sources})
target_include_directories(roundelay_simulation SYSTEM PRIVATE ${ROUNDELAY_SMPI_INCLUDE_DIR}/smpi
                           ${ROUNDELAY_SMPI_INCLUDE_DIR})
target_link_libraries(roundelay_simulation PRIVATE roundelay_core roundelay_shared roundelay_entry_points ${ROUNDELAY_SIMGRID_LIBRARY} ${CMAKE_DL_LIBS})
# shared_pages.cpp
target_link_options(roundelay_simulation PRIVATE
                    -Wl,--wrap=aligned_alloc,--wrap=free,--wrap=memcpy,--wrap=memmove,--wrap=PMPI_Reduce_local)
target_compile_definitions(roundelay_simulation PRIVATE ROUNDELAY_OPEN_MPI=0 ROUNDELAY_MPICH=0 ROUNDELAY_STANDARD_ABI=0 ROUNDELAY_SIMGRID=1
                           ROUNDELAY_HAVE_LARGE_COUNT=0
                           ROUNDELAY_VERSION="${PROJECT_VERSION}")
roundelay_build_fast(roundelay_simulation 8 ${mpi_headers})
set_target_properties(roundelay_simulation PROPERTIES PREFIX "" OUTPUT_NAME simulation
                      LIBRARY_OUTPUT_DIRECTORY ${ROUNDELAY_BUILD_LIBDIR})
add_dependencies(roundelay roundelay_simulation)
install(PROGRAMS $<TARGET_FILE:roundelay_simulation> DESTINATION ${CMAKE_INSTALL_LIBDIR}/roundelay
        COMPONENT simulation)
