// SPDX-License-Identifier: Apache-2.0
// GoogleTest's header, which CMakeLists.txt has compiled once for all unit tests.
