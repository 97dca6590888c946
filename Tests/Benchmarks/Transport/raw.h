/* The baseline of the transport's benchmarks: what C with epoll, one thread per process, does with the same frames.
   A frame is a UInt32 big-endian length and a body, whose first byte is its kind (see transport-bench(1)). */
#ifndef RAW_H
#define RAW_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEADER = 4, LARGEST_BODY = 64 * 1024, READ_SIZE = 256 * 1024 };

static inline uint32_t read32(const uint8_t *bytes) {
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return __builtin_bswap32(number);
}

static inline uint64_t read64(const uint8_t *bytes) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return __builtin_bswap64(number);
}

static inline void write32(uint8_t *bytes, uint32_t number) {
    number = __builtin_bswap32(number);
    memcpy(bytes, &number, sizeof number);
}

static inline void write64(uint8_t *bytes, uint64_t number) {
    number = __builtin_bswap64(number);
    memcpy(bytes, &number, sizeof number);
}

static inline uint64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* A benchmark that cannot go on says why and gives up. */
_Noreturn void give_up(const char *what);
void *allocate(size_t size);
void set_no_delay(int descriptor);

int serve(int port);
int measure(int count, char **arguments);

#endif
