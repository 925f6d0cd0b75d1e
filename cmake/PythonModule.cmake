# SPDX-License-Identifier: Apache-2.0
# roundelay._core: the catalogue and the interpreters for Python. Built into the build folder; goes
# into the wheel when scikit-build-core asks for it (SKBUILD_PLATLIB_DIR).
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_DIR
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
nanobind_add_module(_core NB_STATIC ${python_sources})
target_link_libraries(_core PRIVATE roundelay_core roundelay_interpret)
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/roundelay)

add_dependencies(roundelay _core)

if(SKBUILD_PLATLIB_DIR)
  install(TARGETS _core LIBRARY DESTINATION ${SKBUILD_PLATLIB_DIR}/roundelay COMPONENT python
          EXCLUDE_FROM_ALL)
endif()
