/* SPDX-License-Identifier: Apache-2.0 */
/* The public C API. A program does not need it: preloading or linking the library is enough.
 *
 * Every name works from any rank and thread after MPI_Init. Strings are UTF-8. */
#ifndef ROUNDELAY_H
#define ROUNDELAY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, "major.minor.patch". */
const char* roundelay_version(void);

/* Forces algorithms for the next collectives of the calling thread, as the environment variable
 * ROUNDELAY does:
 *
 *   roundelay_force("allgather=bruck; bcast=scatter_allgather(allgather=ring)");
 *
 * Replaces what was forced before; "" forces nothing. For each communicator that the thread uses,
 * every rank has to call it with the same text between the same two collectives. Collectives that
 * other threads run at the same time are not affected; a thread that has not called a collective
 * yet begins with what was forced last in the process. Returns 0; or -1 for text that does not
 * parse or names what does not exist: then nothing changes and roundelay_error() says what is
 * wrong. */
int roundelay_force(const char* text);

/* Why the calling thread's last call of this API failed; "" if it did not. */
const char* roundelay_error(void);

/* What the calling thread's last intercepted collective ran and why, e.g. "allgather.bruck:
 * forced". Returns the length of the whole text; at most size - 1 bytes of it and a zero are
 * written. */
size_t roundelay_last(char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
