# SPDX-License-Identifier: Apache-2.0
# Toolchain for AArch64 on another machine: Debian's cross compilers, and QEMU's emulation of single
# programs for tests. Usage: cmake -DCMAKE_TOOLCHAIN_FILE=tools/aarch64-linux-gnu.cmake ...
# Called by tools/run_tests.sh aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)
