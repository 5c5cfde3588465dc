# SPDX-License-Identifier: Apache-2.0
"""heddlecc: gcc, clang or gfortran with Heddle's extension clauses. docs/heddlecc.md."""
