/* The parts of Linux that Swift's Glibc module leaves out: whole headers, and macros and variadic functions as
   static inline functions. */
#ifndef BONJOURISH_CLINUX_H
#define BONJOURISH_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* prctl is variadic. The kernel keeps the first 15 bytes of the name. */
static inline void linux_set_thread_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* accept4 is declared for _GNU_SOURCE only, which a module cannot ask for any more. */
int accept4(int descriptor, struct sockaddr *address, socklen_t *size, int flags);
static inline int linux_accept(int descriptor, struct sockaddr *address, socklen_t *size) {
    return accept4(descriptor, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#endif
