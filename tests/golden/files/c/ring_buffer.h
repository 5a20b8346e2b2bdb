#ifndef RING_BUFFER_H
#define RING_BUFFER_H

#include <stddef.h>
#include "ring/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* class of service, in a comment: this header is C all the same
class nothing; */
#define RING_VERSION "1.2"
#define RING_EXPORT __attribute__((visibility("default")))

typedef struct ring_s ring_t;
typedef unsigned int ring_flags;

/** What a ring is made with. */
typedef struct {
  size_t size;
  ring_flags flags;
} ring_options;

typedef enum { RING_READ = 1, RING_WRITE = 2 } ring_mode;

/** Makes a ring; NULL when there is no memory. */
RING_EXPORT ring_t* ring_new(size_t size);

RING_EXPORT int ring_write(ring_t* ring, const void* bytes, size_t count);
extern int ring_default_size;

static inline int ring_is_empty(const ring_options* options) {
  return options->size == 0;
}

#ifdef __cplusplus
}
#endif
#endif
