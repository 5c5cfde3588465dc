// SPDX-License-Identifier: Apache-2.0
// How an entry point is exported: C linkage, visible, with its node in src/abi/exports.map.
// Included by every file below abi/.
#pragma once

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
