# SPDX-License-Identifier: Apache-2.0
# One shared library for each MPI: libroundelay-<id>.so and, beside it, libroundelay-<id>.json, from
# which `roundelay run` and `roundelay doctor` learn what it is, and latencies-<id>, which `roundelay
# doctor --topology` runs, and collectives-<id>, which `roundelay bench` runs. Sets roundelay_mpi_ids; each MPI is the target roundelay_mpi_<id>, its
# library the target roundelay-<id>.
include(InspectMpi)
include(EntryPoints)

set(ROUNDELAY_BUILD_LIBDIR ${CMAKE_BINARY_DIR}/lib/roundelay)
set(roundelay_mpi_ids "")

file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.cpp ${PROJECT_SOURCE_DIR}/src/preload/*.cpp)
# What most of them include.
set(mpi_headers <algorithm> <functional> <mutex> <sstream> <string> <vector> ${PROJECT_SOURCE_DIR}/src/mpi/call.hpp
    ${PROJECT_SOURCE_DIR}/src/preload/communicator_state.hpp)
set(latencies_sources ${PROJECT_SOURCE_DIR}/src/latencies/main.cpp)
foreach(name cores host ping waiting)
  list(APPEND latencies_sources ${PROJECT_SOURCE_DIR}/src/mpi/${name}.cpp)
endforeach()

file(GLOB collectives_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/bench/*.c)

function(roundelay_add_mpi mpicc)
  roundelay_inspect_mpi(${mpicc} mpi)
  if(mpi_ID IN_LIST roundelay_mpi_ids)
    message(STATUS "MPI: ${mpicc}: ${mpi_FLAVOUR} ${mpi_VERSION} is served by the build ${mpi_ID} (${mpi_SONAME})")
    return()
  endif()
  message(STATUS "MPI: ${mpicc}: ${mpi_FLAVOUR} ${mpi_VERSION}, build ${mpi_ID} (${mpi_SONAME})")
  list(APPEND roundelay_mpi_ids ${mpi_ID})
  set(roundelay_mpi_ids ${roundelay_mpi_ids} PARENT_SCOPE)

  add_library(roundelay_mpi_${mpi_ID} INTERFACE)
  target_include_directories(roundelay_mpi_${mpi_ID} SYSTEM INTERFACE ${mpi_INCLUDES})
  target_compile_definitions(roundelay_mpi_${mpi_ID} INTERFACE ${mpi_DEFINITIONS} OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_link_libraries(roundelay_mpi_${mpi_ID} INTERFACE ${mpi_LINK})
  # A preloaded library's dependencies are looked up before the program's own libmpi may be there.
  if(NOT mpi_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    target_link_options(roundelay_mpi_${mpi_ID} INTERFACE LINKER:-rpath,${mpi_LIBDIR} LINKER:--enable-new-dtags)
  endif()

  set(library roundelay-${mpi_ID})
  add_library(${library} SHARED ${mpi_sources})
  target_link_libraries(${library} PRIVATE roundelay_core roundelay_shared roundelay_entry_points roundelay_mpi_${mpi_ID} ${CMAKE_DL_LIBS})
  set(flavours "")
  foreach(pair openmpi:OPEN_MPI mpich:MPICH standard:STANDARD_ABI)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 flavour)
    list(GET pair 1 name)
    string(COMPARE EQUAL ${mpi_FLAVOUR} ${flavour} is_this)
    list(APPEND flavours ROUNDELAY_${name}=${is_this})
  endforeach()
  target_compile_definitions(${library} PRIVATE ${flavours} ROUNDELAY_SIMGRID=0 ROUNDELAY_HAVE_LARGE_COUNT=${mpi_LARGE_COUNT}
                             ROUNDELAY_VERSION="${PROJECT_VERSION}")
  # It is there when the program starts, so its thread-local memory is one instruction away.
  target_compile_options(${library} PRIVATE -ftls-model=initial-exec)
  roundelay_build_fast(${library} 8 ${mpi_headers})
  target_link_options(${library} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  set_target_properties(${library} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ROUNDELAY_BUILD_LIBDIR}
                        LINKER_LANGUAGE CXX LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)

  set(latencies latencies-${mpi_ID})
  add_executable(${latencies} ${latencies_sources})
  target_include_directories(${latencies} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${latencies} PRIVATE roundelay_options roundelay_mpi_${mpi_ID})
  target_compile_definitions(${latencies} PRIVATE ROUNDELAY_SIMGRID=0)
  set_target_properties(${latencies} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ROUNDELAY_BUILD_LIBDIR})

  set(collectives collectives-${mpi_ID})
  add_executable(${collectives} ${collectives_sources})
  target_link_libraries(${collectives} PRIVATE roundelay_options roundelay_mpi_${mpi_ID} ${CMAKE_DL_LIBS} m)
  set_target_properties(${collectives} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ROUNDELAY_BUILD_LIBDIR})

  set(programs ${latencies} ${collectives})
  add_dependencies(roundelay ${library} ${programs})

  set(description ${ROUNDELAY_BUILD_LIBDIR}/lib${library}.json)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/build.json.in ${description} @ONLY)

  install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/roundelay COMPONENT roundelay)
  install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/roundelay COMPONENT roundelay)
  install(FILES ${description} DESTINATION ${CMAKE_INSTALL_LIBDIR}/roundelay COMPONENT roundelay)
  # Installed as it was built: the run path leads to the MPI, not to our build folder.
  set_target_properties(${library} ${programs} PROPERTIES INSTALL_RPATH_USE_LINK_PATH OFF)
  roundelay_pkg_config(roundelay-${mpi_ID} ${mpi_ID} "${mpi_FLAVOUR} ${mpi_VERSION} (${mpi_SONAME})")
endfunction()

# lib/pkgconfig/<name>.pc for one build.
function(roundelay_pkg_config name id mpi)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/roundelay.pc.in ${CMAKE_BINARY_DIR}/pkgconfig/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/pkgconfig/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT roundelay)
endfunction()

set(wrappers ${ROUNDELAY_MPI})
if(NOT wrappers)
  find_program(ROUNDELAY_MPICC mpicc)
  mark_as_advanced(ROUNDELAY_MPICC)
  if(ROUNDELAY_MPICC)
    set(wrappers ${ROUNDELAY_MPICC})
  else()
    message(STATUS "MPI: none on PATH and ROUNDELAY_MPI is empty: building without MPI")
  endif()
endif()
foreach(wrapper IN LISTS wrappers)
  roundelay_add_mpi(${wrapper})
endforeach()

# What an earlier configuration built for other MPIs is not to be found any more.
file(GLOB descriptions ${ROUNDELAY_BUILD_LIBDIR}/libroundelay-*.json)
foreach(description IN LISTS descriptions)
  cmake_path(GET description STEM stem)
  string(REPLACE "libroundelay-" "" id ${stem})
  if(NOT id IN_LIST roundelay_mpi_ids)
    file(REMOVE ${description})
  endif()
endforeach()
