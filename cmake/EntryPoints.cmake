# SPDX-License-Identifier: Apache-2.0
# roundelay_entry_points: what C and Fortran programs call, written by src/preload/entry_points.py.
# Who links it can include "entry_points/c.inc" and so on.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)

set(script ${PROJECT_SOURCE_DIR}/src/preload/entry_points.py)
set(folder ${CMAKE_BINARY_DIR}/generated/entry_points)
set(entry_points ${folder}/native.inc ${folder}/c.inc ${folder}/fortran_open_mpi.inc)
add_custom_command(OUTPUT ${entry_points} COMMAND ${Python_EXECUTABLE} ${script} ${folder} DEPENDS ${script} VERBATIM)
add_custom_target(roundelay_write_entry_points DEPENDS ${entry_points})

add_library(roundelay_entry_points INTERFACE)
target_include_directories(roundelay_entry_points INTERFACE ${CMAKE_BINARY_DIR}/generated)
add_dependencies(roundelay_entry_points roundelay_write_entry_points)
