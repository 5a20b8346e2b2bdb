/*
 * A ring buffer for one reader and one writer.
 */
#include "ring_buffer.h"
#include <stdlib.h>
#include <sys/uio.h>

#define RING_MIN_SIZE 16
#define RING_NEXT(ring, place) \
  (((place) + 1) & ((ring)->size - 1))

typedef int (*ring_visit_fn)(const unsigned char *bytes, size_t count, void *arg);

typedef struct ring_s {
  unsigned char *data;      /* the bytes */
  size_t size, used;
  size_t marks[2];
  void (*on_full)(struct ring_s *ring);
} ring_t;

/** How a write went. */
enum ring_result {
  RING_OK,
  RING_FULL = -1
};

struct chunk {
  struct chunk *next;
  union {
    long whole;
    char bytes[8];
  } content;
};

static const char *const names[] = {"ok", "full"};
int ring_default_size = 4096;
static int grow(ring_t *ring, size_t wanted);

/* Apart: this comment is no doc. */

/**
 * Makes a ring.
 *
 * @param size  a power of two
 */
RING_EXPORT ring_t *ring_new(size_t size) {
  ring_t *ring = calloc(1, sizeof(ring_t));
  if (ring == NULL)
    return NULL;
  grow(ring, size);
  return ring;
}

// Writes as much as fits.
// The rest is left to the caller.
int ring_write(ring_t* ring,
               const void* bytes, /* not copied */
               size_t count) {
  struct iovec parts[2];
  if (count > ring->size - ring->used) {
    ring->on_full(ring);
    return RING_FULL;
  }
#ifdef RING_TRACE
  int traced = 1;
  trace_write(count, traced);
#endif
  return copy_parts(ring, parts, (const char *) bytes);
}

RING_UNUSED(static int ring_check(const ring_t* ring)) {
  return ring->used <= ring->size;
}

/* Doubles the size until it is enough. */
static int grow(ring_t *ring, size_t wanted) {
  for (size_t size = ring->size; size < wanted; size *= 2)
    ring->size = size;
  return 0;
}

int (*ring_visitor(int reversed))(const unsigned char *, size_t, void *) {
  return reversed ? visit_back : visit;
}

#if defined(_WIN32)
static void pause_ms(unsigned ms) { Sleep(ms); }
#else
static void pause_ms(unsigned ms) {
  usleep(ms * 1000);
}
#endif

int main(int argc, char **argv) {
  ring_t *größe = ring_new(RING_MIN_SIZE);
  (void) names;
  return ring_write(größe, argv[0], 1) == RING_OK ? 0 : 1;
}

RING_EXPORT(size_t ring_size(const ring_t* ring)) {
  return ring->size;
}

RINGLIB_API int (ring_ref)(ring_t *ring) {
  return ++ring->refs;
}

PyAPI_FUNC(PyObject *)
PyRing_New(size_t size)
{
  return wrap(ring_new(size));
}

static RINGINLINE ring_t* ring_of(PyObject* object) {
  return unwrap(object);
}

/* Reads back what was written. */
TEST_IMPL(reads_back) {
  ring_t *ring = ring_new(8);
  ASSERT(ring_write(ring, "a", 1) == RING_OK);
  return 0;
}

RING_FUNCTION(ring_sum, ring, from)
{
  return from + ring->used;
}
