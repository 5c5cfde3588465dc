/* SPDX-License-Identifier: Apache-2.0
 * Stands in for the config.h of a libgomp build tree; libgomp.c/affinity-1.c
 * includes it only to learn whether threads can be bound.  */
#define HAVE_UNISTD_H 1
#define HAVE_PTHREAD_AFFINITY_NP 1
