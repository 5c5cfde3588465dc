# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, and the packages that CPack makes of it.
# Included by the CMakeLists.txt at the top, which has made the targets heddle and heddle_static.
# Everything below the prefix finds its neighbours by relative paths: the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEDDLE_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
set(HEDDLE_MODULE_FOLDER ${CMAKE_INSTALL_DATADIR}/modulefiles/heddle)
# Headers in a folder of their own: nobody gets another omp.h than their compiler's unasked.
set(HEDDLE_HEADER_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/heddle)

# The component `runtime` is what a Python wheel holds; links cannot be packed into one.
install(TARGETS heddle EXPORT HeddleTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
        INCLUDES DESTINATION ${HEDDLE_HEADER_FOLDER})
install(FILES ${HEDDLE_LINKS} DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle-drop-in
        COMPONENT drop-in)
install(FILES include/omp.h include/omp-tools.h include/omp_lib.h include/omp_lib.f90 include/heddle.h
        include/heddle.hpp include/heddle_lib.f90 DESTINATION ${HEDDLE_HEADER_FOLDER}
        COMPONENT development)
if(TARGET heddle_static)
    install(FILES ${HEDDLE_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()

install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${HEDDLE_CMAKE_FOLDER}
        COMPONENT development)
configure_package_config_file(packaging/HeddleConfig.cmake.in HeddleConfig.cmake
    INSTALL_DESTINATION ${HEDDLE_CMAKE_FOLDER} NO_SET_AND_CHECK_MACRO
    PATH_VARS CMAKE_INSTALL_LIBDIR HEDDLE_HEADER_FOLDER)
write_basic_package_version_file(HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake
        DESTINATION ${HEDDLE_CMAKE_FOLDER} COMPONENT development)

# From where each file lies to the prefix.
file(RELATIVE_PATH HEDDLE_PREFIX_OF_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(RELATIVE_PATH HEDDLE_PREFIX_OF_MODULE /${HEDDLE_MODULE_FOLDER} /)
configure_file(packaging/heddle.pc.in heddle.pc @ONLY)
configure_file(packaging/modulefile.in modulefile @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heddle.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/modulefile DESTINATION ${HEDDLE_MODULE_FOLDER}
        RENAME ${PROJECT_VERSION} COMPONENT development)

# What debuggers and memory checkers take. gdb loads by itself what lies below its own data folder at
# the library's place, which is known when all is installed.
install(DIRECTORY python/heddle/debugger DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
        COMPONENT development FILES_MATCHING PATTERN "*.py")
install(FILES packaging/heddle.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
        COMPONENT development)
install(CODE "
    set(data \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    set(library \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    file(INSTALL DESTINATION \"\${data}/gdb/auto-load\${library}\"
         TYPE FILE RENAME libheddle.so-gdb.py
         FILES \"${CMAKE_SOURCE_DIR}/packaging/gdb_auto_load.py\")" COMPONENT development)

# A wheel also has what `heddle bench` compiles, in the folders of the source tree.
if(SKBUILD)
    install(DIRECTORY bench include DESTINATION sources COMPONENT sources
            PATTERN "__pycache__" EXCLUDE)
    install(DIRECTORY src/concurrent src/platform DESTINATION sources/src COMPONENT sources)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenMP runtime for fine-grained and irregular parallelism")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3 (>= 3.9)") # heddlecc
include(CPack)
