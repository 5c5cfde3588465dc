# SPDX-License-Identifier: Apache-2.0
"""Reading what HEDDLE_TRACE recorded, and showing what the time went to: docs/tracing.md."""
