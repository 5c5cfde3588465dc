// SPDX-License-Identifier: Apache-2.0
// The C++ library's headers, which CMakeLists.txt has compiled once for all planted bugs.
