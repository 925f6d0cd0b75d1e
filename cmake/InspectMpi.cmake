# SPDX-License-Identifier: Apache-2.0
# roundelay_inspect_mpi(<mpicc> <prefix>): asks an MPI's compiler wrapper what it is. Sets in the caller
#
#   <prefix>_ID           the SONAME without "lib" and ".so.", e.g. mpi40; names the build
#   <prefix>_FLAVOUR      openmpi, mpich, or standard: the ABI of MPI 5, which any MPI may have
#   <prefix>_VERSION      of the MPI or of that ABI, e.g. 4.1.4
#   <prefix>_SONAME       of its libmpi, e.g. libmpi.so.40
#   <prefix>_LIBDIR       the folder that holds it
#   <prefix>_INCLUDES     folders of mpi.h
#   <prefix>_DEFINITIONS  what mpi.h needs to have defined, e.g. MPI_ABI
#   <prefix>_LINK         -L and -l options
#   <prefix>_LARGE_COUNT  1 if it has MPI_Bcast_c and its like, else 0
#
# Ends the configuration with a message if the wrapper does not work.
function(roundelay_inspect_mpi mpicc prefix)
  # Both Open MPI and MPICH know -show.
  execute_process(COMMAND ${mpicc} -show OUTPUT_VARIABLE shown ERROR_VARIABLE complaint
                  RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "ROUNDELAY_MPI: '${mpicc} -show' failed: ${complaint}")
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  # Linker options (-Wl,..) are left out: -Bsymbolic, for one, is not for us.
  set(includes "")
  set(definitions "")
  set(link "")
  set(folders "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND includes ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-D(.+)")
      list(APPEND definitions ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      list(APPEND link ${word})
      list(APPEND folders ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l")
      list(APPEND link ${word})
    endif()
  endforeach()

  set(work ${CMAKE_BINARY_DIR}/inspect-mpi)
  list(TRANSFORM includes PREPEND -I OUTPUT_VARIABLE options)
  list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE definition_options)
  list(APPEND options ${definition_options})

  file(WRITE ${work}/version.c [[
#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION)
flavour openmpi OMPI_MAJOR_VERSION OMPI_MINOR_VERSION OMPI_RELEASE_VERSION
#elif defined(MPICH_VERSION)
flavour mpich MPICH_VERSION
#elif defined(MPI_ABI_VERSION)
flavour standard MPI_ABI_VERSION MPI_ABI_SUBVERSION
#endif
]])
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${options} -E -P ${work}/version.c
                  OUTPUT_VARIABLE preprocessed ERROR_VARIABLE complaint RESULT_VARIABLE failed)
  if(failed OR NOT preprocessed MATCHES "flavour (openmpi|mpich|standard) ([^\n]+)")
    message(FATAL_ERROR "ROUNDELAY_MPI: ${mpicc} is neither Open MPI nor MPICH nor of the standard ABI, or its mpi.h does not work: ${complaint}")
  endif()
  set(flavour ${CMAKE_MATCH_1})
  string(REPLACE "\"" "" version "${CMAKE_MATCH_2}")
  string(STRIP "${version}" version)
  string(REPLACE " " "." version "${version}")

  file(WRITE ${work}/link.c "#include <mpi.h>\nint main(void) { int flag; return MPI_Initialized(&flag); }\n")
  set(probe ${work}/probe)
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${options} ${work}/link.c ${link} -o ${probe}
                  ERROR_VARIABLE complaint RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "ROUNDELAY_MPI: a program does not link with what '${mpicc} -show' says: ${complaint}")
  endif()
  execute_process(COMMAND ${CMAKE_READELF} -d ${probe} OUTPUT_VARIABLE dynamic)
  if(NOT dynamic MATCHES "NEEDED[^[]*\\[(libmpi[a-z_]*\\.so\\.[0-9]+)\\]")
    message(FATAL_ERROR "ROUNDELAY_MPI: ${mpicc} does not link a shared libmpi; Roundelay needs one.")
  endif()
  set(soname ${CMAKE_MATCH_1})

  find_file(found ${soname} PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
  if(NOT found)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${soname} OUTPUT_VARIABLE found
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  file(REAL_PATH "${found}" found)
  cmake_path(GET found PARENT_PATH libdir)

  file(WRITE ${work}/large.c "#include <mpi.h>\nint main(void) { return MPI_Bcast_c != 0; }\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${options} -Werror ${work}/large.c ${link} -o ${probe}
                  OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE lacks_large)

  string(REGEX REPLACE "^lib(.*)\\.so\\.(.*)$" "\\1\\2" id ${soname})
  set(${prefix}_ID ${id} PARENT_SCOPE)
  set(${prefix}_FLAVOUR ${flavour} PARENT_SCOPE)
  set(${prefix}_VERSION ${version} PARENT_SCOPE)
  set(${prefix}_SONAME ${soname} PARENT_SCOPE)
  set(${prefix}_LIBDIR ${libdir} PARENT_SCOPE)
  set(${prefix}_INCLUDES "${includes}" PARENT_SCOPE)
  set(${prefix}_DEFINITIONS "${definitions}" PARENT_SCOPE)
  set(${prefix}_LINK "${link}" PARENT_SCOPE)
  if(lacks_large)
    set(${prefix}_LARGE_COUNT 0 PARENT_SCOPE)
  else()
    set(${prefix}_LARGE_COUNT 1 PARENT_SCOPE)
  endif()
endfunction()
