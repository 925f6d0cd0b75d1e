# SPDX-License-Identifier: Apache-2.0
# Tests, benchmarks and examples.
enable_testing()

# roundelay_add_mpi_program(<name> <source>.. [LIBRARIES <library>..]): the program once for every MPI,
# as <build>/mpi/<id>/<name>; target <name>-<id>. Sources are C, C++ or both.
function(roundelay_add_mpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" LIBRARIES)
  foreach(id IN LISTS roundelay_mpi_ids)
    add_executable(${name}-${id} ${program_UNPARSED_ARGUMENTS})
    target_link_libraries(${name}-${id} PRIVATE ${program_LIBRARIES} roundelay_options roundelay_mpi_${id})
    set_target_properties(${name}-${id} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/mpi/${id})
  endforeach()
endfunction()

# roundelay_tests_in_shards(<program>): its tests in 16 processes. With a process for each of thousands
# of tests, starting takes more time than testing.
function(roundelay_tests_in_shards program)
  set(shards 16)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${program}.${shard} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${program}.${shard} PROPERTIES ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# Ring 1: what runs without MPI, all in one program.
set(patterns "")
foreach(folder schedule algorithms interpret choose)
  list(APPEND patterns ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
endforeach()
file(GLOB_RECURSE core_tests CONFIGURE_DEPENDS ${patterns})
find_package(GTest QUIET)
if(core_tests AND GTest_FOUND)
  include(GoogleTest)
  add_executable(core_tests ${core_tests})
  target_include_directories(core_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(core_tests PRIVATE -Werror)
  target_link_libraries(core_tests PRIVATE roundelay_core roundelay_interpret GTest::gtest GTest::gtest_main)
  roundelay_build_fast(core_tests 8 <gtest/gtest.h> ${PROJECT_SOURCE_DIR}/src/algorithms/catalogue.hpp)
  roundelay_tests_in_shards(core_tests)
elseif(core_tests)
  message(STATUS "GoogleTest was not found: tests of what knows no MPI are not built")
endif()

# What carries schedules out, but for MPI itself; and what the preloaded library does without MPI.
if(GTest_FOUND)
  file(GLOB preload_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/preload/*.cpp)
  add_executable(preload_tests ${preload_tests} ${PROJECT_SOURCE_DIR}/src/preload/file.cpp
    ${PROJECT_SOURCE_DIR}/src/preload/record.cpp)
  target_link_libraries(preload_tests PRIVATE roundelay_options GTest::gtest GTest::gtest_main)
  target_include_directories(preload_tests PRIVATE ${PROJECT_SOURCE_DIR}/src)
  gtest_discover_tests(preload_tests DISCOVERY_MODE PRE_TEST)
  file(GLOB shared_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/shared/*.cpp)
  add_executable(shared_tests ${shared_tests})
  target_include_directories(shared_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(shared_tests PRIVATE roundelay_shared GTest::gtest GTest::gtest_main)
  gtest_discover_tests(shared_tests DISCOVERY_MODE PRE_TEST)
  if(NOT ROUNDELAY_SANITIZE)
    # Are the numbers in shared memory written and read in the right order?
    file(GLOB shared_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/shared/*.cpp)
    add_executable(shared_tests_threads ${PROJECT_SOURCE_DIR}/tests/shared/meeting_test.cpp ${PROJECT_SOURCE_DIR}/tests/shared/port_test.cpp ${shared_sources})
    target_include_directories(shared_tests_threads PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_compile_options(shared_tests_threads PRIVATE -fsanitize=thread -g1)
    target_link_options(shared_tests_threads PRIVATE -fsanitize=thread)
    target_link_libraries(shared_tests_threads PRIVATE roundelay_options GTest::gtest GTest::gtest_main)
    add_test(NAME shared_tests_threads COMMAND shared_tests_threads)
  endif()
  file(GLOB transport_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/transport/*.cpp)
  add_executable(transport_tests ${transport_tests} ${PROJECT_SOURCE_DIR}/src/mpi/flow.cpp)
  target_include_directories(transport_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(transport_tests PRIVATE roundelay_core roundelay_interpret GTest::gtest GTest::gtest_main)
  roundelay_tests_in_shards(transport_tests)
endif()
add_executable(work_per_message ${PROJECT_SOURCE_DIR}/tests/transport/programs/work_per_message.cpp
                                ${PROJECT_SOURCE_DIR}/src/mpi/flow.cpp)
target_link_libraries(work_per_message PRIVATE roundelay_core)

# What carries them out over MPI, in one process.
if(GTest_FOUND)
  # With the libraries, and without the tests of the schedules themselves: what `make test` builds with sanitizers.
  add_custom_target(carrying_out DEPENDS roundelay preload_tests shared_tests transport_tests)
  file(GLOB engine_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/mpi_engine/*.cpp)
  foreach(name combining_elements cores datatype executor executor_of_thread flow memory message_transport mixed_transport put_window scratch self_communicator send_receive_pairs shared_memory shared_transport short_rounds waiting)
    list(APPEND engine_tests ${PROJECT_SOURCE_DIR}/src/mpi/${name}.cpp)
  endforeach()
  foreach(id IN LISTS roundelay_mpi_ids)
    add_executable(engine_tests-${id} ${engine_tests})
    target_link_libraries(engine_tests-${id} PRIVATE roundelay_core roundelay_shared roundelay_mpi_${id} GTest::gtest ${CMAKE_DL_LIBS})
    target_compile_definitions(engine_tests-${id} PRIVATE ROUNDELAY_SIMGRID=0)
    roundelay_build_fast(engine_tests-${id} 4 <gtest/gtest.h> ${PROJECT_SOURCE_DIR}/src/mpi/call.hpp)
    add_dependencies(carrying_out engine_tests-${id})
    add_test(NAME engine_tests-${id} COMMAND engine_tests-${id})
    # The MPI libraries leak.
    set_tests_properties(engine_tests-${id} PROPERTIES ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0")
  endforeach()
endif()

# Programs of the engine itself; tests/mpi/test_running_calls.py runs them.
foreach(id IN LISTS roundelay_mpi_ids)
  foreach(program running memory_traffic rounds)
    add_executable(${program}-${id} ${PROJECT_SOURCE_DIR}/tests/mpi_engine/programs/${program}.cpp
                                    $<TARGET_OBJECTS:roundelay-${id}>)
    target_link_libraries(${program}-${id} PRIVATE roundelay_core roundelay_shared roundelay_interpret
                                                   roundelay_mpi_${id} ${CMAKE_DL_LIBS})
    target_compile_definitions(${program}-${id} PRIVATE ROUNDELAY_SIMGRID=0)
  endforeach()
endforeach()

# Everything of ours in one file for each MPI, which nobody runs: with link-time optimisation (the preset `lto`)
# the linker sees where two files define a name differently. It merges what the compiler kept, and makes no code.
if(TARGET core_tests AND CMAKE_CXX_FLAGS MATCHES -flto)
  add_custom_target(one_definition)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} -r -flinker-output=rel -nostdlib")
  foreach(id IN LISTS roundelay_mpi_ids)
    set(merged ${CMAKE_BINARY_DIR}/one_definition-${id}.o)
    set(objects "")
    foreach(target roundelay_core roundelay_shared roundelay_interpret core_tests roundelay-${id})
      list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,\\.gch$>)
    endforeach()
    add_custom_command(OUTPUT ${merged} COMMAND ${CMAKE_CXX_COMPILER} ${flags} -o ${merged} ${objects}
                       DEPENDS ${objects} COMMAND_EXPAND_LISTS)
    add_custom_target(one_definition-${id} DEPENDS ${merged})
    add_dependencies(one_definition one_definition-${id} latencies-${id})
  endforeach()
endif()

# What takes too long for a test; `make verify-circulant` and `make verify-inter` run it.
foreach(name verify_circulant verify_inter)
  add_executable(${name} EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/exhaustive/${name}.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE roundelay_core roundelay_interpret)
endforeach()

# Benchmarks of what runs without MPI: each source is a program, bench/<folder>/<name>.cpp.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  file(GLOB core_benchmarks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/schedule/*.cpp)
  foreach(source IN LISTS core_benchmarks)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE roundelay_core roundelay_interpret benchmark::benchmark)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  endforeach()
else()
  message(STATUS "Google Benchmark was not found: benchmarks are not built")
endif()

foreach(folder tests/mpi bench examples)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endforeach()
