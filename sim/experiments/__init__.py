# SPDX-License-Identifier: Apache-2.0
"""The five papers' figures and tables, run on the simulated machines and judged."""
