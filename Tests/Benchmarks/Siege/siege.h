/* What the two sides of a siege have in common: sockets on the loopback interface, frames, and time.
   A frame is a UInt32 big-endian length and a body; a body that begins with P comes back as it is (see transport-bench(1)). */
#ifndef SIEGE_H
#define SIEGE_H

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 4 };

static inline _Noreturn void give_up(const char *what) {
    perror(what);
    exit(1);
}

static inline uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static inline uint64_t milliseconds(uint64_t count) { return count * 1000000; }

/* The same seed gives the same numbers (SplitMix64). */
static inline uint64_t random_number(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
}

static inline void write_length(uint8_t *frame, uint32_t length) {
    length = htonl(length);
    memcpy(frame, &length, sizeof length);
}

/* A socket on its way to the server from an address of 127/8, which does not block; negative when the kernel has none. */
static inline int begin_connecting(uint16_t port, uint32_t source, int receive_buffer) {
    int on = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(source)};
    setsockopt(descriptor, IPPROTO_IP, 24 /* IP_BIND_ADDRESS_NO_PORT */, &on, sizeof on);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
        address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(0x7F000001)};
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS)
            return descriptor;
    }
    close(descriptor);
    return -1;
}

static inline void reset(int descriptor) {
    struct linger option = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, sizeof option);
    close(descriptor);
}

#endif
