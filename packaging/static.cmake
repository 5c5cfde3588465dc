# SPDX-License-Identifier: Apache-2.0
# libheddle.a: one object without debug information, in which only what libheddle.so exports is
# visible.
# Run at build time: cmake -DOBJECTS=... -DALIASES=... -DARCHIVE=... -DLD=... -P static.cmake
# Tables of C++ templates are visible all the same ("unique"), and are made local by way of weak ones.
# Second names with a version mean something in shared objects only. Programs get the routines as
# gcc's programs ask for them; of the few that libomp has otherwise, clang's get those as well.
# --force-group-allocation: the linker of a program drops what both have of a template, and what of
# the archive is local could not refer to the program's.
file(READ ${ALIASES} script)
string(REGEX REPLACE "\n\"[^\n]*" "" script "${script}")
file(WRITE ${ARCHIVE}.ld "${script}")
foreach(command
        "${LD};-r;--force-group-allocation;-o;${ARCHIVE}.o;@${OBJECTS};${ARCHIVE}.ld"
        "${OBJCOPY};--wildcard;--weaken-symbol=_Z*;${ARCHIVE}.o"
        "${OBJCOPY};--localize-hidden;--wildcard;--localize-symbol=_Z*;--strip-debug;${ARCHIVE}.o"
        "${CMAKE_COMMAND};-E;rm;-f;${ARCHIVE}"
        "${AR};rcs;${ARCHIVE};${ARCHIVE}.o"
        "${CMAKE_COMMAND};-E;rm;${ARCHIVE}.o;${ARCHIVE}.ld")
    execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
