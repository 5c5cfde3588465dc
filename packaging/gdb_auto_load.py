# SPDX-License-Identifier: Apache-2.0
"""What gdb loads with libheddle.so, from DATA/gdb/auto-load: its commands, from DATA/heddle."""
import sys

sys.path.insert(0, __file__.partition("/gdb/auto-load/")[0] + "/heddle/debugger")

import heddle_commands  # noqa: E402,F401
