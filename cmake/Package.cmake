# SPDX-License-Identifier: Apache-2.0
# What is installed besides the libraries: the header and the CMake package.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Roundelay)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/RoundelayConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/RoundelayConfig.cmake INSTALL_DESTINATION ${package_dir}
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/RoundelayConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/RoundelayConfig.cmake ${CMAKE_BINARY_DIR}/RoundelayConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT roundelay)
install(FILES ${PROJECT_SOURCE_DIR}/include/roundelay/roundelay.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/roundelay COMPONENT roundelay)
