# SPDX-License-Identifier: Apache-2.0
"""The parts of bench/run.py: cases, programs, contenders, measuring and reporting."""
