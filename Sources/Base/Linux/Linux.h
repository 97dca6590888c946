/* POSIX and Linux for Swift: the headers that the toolkit uses. Macros and variadic functions become static inline functions.
   No other module depends on which C library this is. */
#ifndef BONJOURISH_CLINUX_H
#define BONJOURISH_CLINUX_H

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <locale.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* The error number of the calling thread: errno is a macro. */
static inline int linux_errno(void) {
    return errno;
}
static inline void linux_set_errno(int number) {
    errno = number;
}

/* Swift takes stdout for a variable that every thread may change. A failure changes nothing, and matters to nobody. */
static inline void linux_buffer_lines(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* open, fcntl and ioctl are variadic. */
static inline int linux_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}
static inline int linux_fcntl(int descriptor, int command, int argument) {
    return fcntl(descriptor, command, argument);
}
static inline int linux_ioctl(int descriptor, unsigned long request, void *argument) {
    return ioctl(descriptor, request, argument);
}

/* The bytes that a TCP socket has received so far. They are at byte 128 of struct tcp_info, whose newer half only linux/tcp.h declares,
   and that cannot be included beside netinet/tcp.h. Fails with ENOSYS before Linux 4.1. */
static inline int linux_tcp_received(int descriptor, uint64_t *count) {
  unsigned char info[136];
  socklen_t size = sizeof(info);
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &size) != 0) return -1;
  if (size < sizeof(info)) {
    errno = ENOSYS;
    return -1;
  }
  memcpy(count, info + 128, sizeof(*count));
  return 0;
}

/* A descriptor that becomes readable when a process ends (Linux 5.3). Not every C library has the function. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
static inline int linux_open_process(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/* SIG_DFL and SIG_IGN are macros with casts. */
static inline void linux_reset_signal(int number) {
    signal(number, SIG_DFL);
}
static inline void linux_ignore_signal(int number) {
    signal(number, SIG_IGN);
}
static inline int linux_is_default_action(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}
static inline int linux_is_ignoring_action(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

/* The environment, which Swift takes for a variable that every thread may change. */
extern char **environ;
static inline char **linux_environment(void) {
    return environ;
}

/* prctl is variadic. The kernel keeps the first 15 bytes of the name. */
static inline void linux_set_thread_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* The number of columns of a character in the given locale, not the process's: 0 for combining marks, -1 if it is not printable.
   wcwidth is declared for X/Open programs only. */
int wcwidth(wchar_t character);
static inline int linux_column_width(int32_t character, locale_t locale) {
    locale_t former = uselocale(locale);
    int width = wcwidth((wchar_t)character);
    uselocale(former);
    return width;
}

/* syslog is variadic. */
static inline void linux_syslog(int priority, const char *text) {
    syslog(priority, "%s", text);
}

/* These are declared for _GNU_SOURCE only, which a module cannot define. */
int initgroups(const char *user, gid_t group);
int setresgid(gid_t real, gid_t effective, gid_t saved);
int setresuid(uid_t real, uid_t effective, uid_t saved);

/* Sets a soft and hard limit of the process. Swift cannot see all names of the kinds, which are here 0 to 6 in alphabetical order. */
static inline int linux_set_limit(int kind, uint64_t value) {
    static const int kinds[] = {RLIMIT_AS, RLIMIT_CORE, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK};
    struct rlimit limit = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
    return setrlimit(kinds[kind], &limit);
}

/* Goes on as a new process in a session of its own: returns 0 in it, and its number, or -1, in the one before. The new process has one
   thread, so the one before must have no more. */
static inline pid_t linux_detach(void) {
    pid_t process = /* starts no other program */ fork();
    if (process == 0)
        setsid();
    return process;
}

/* Prefetches `count` cache lines of 64 bytes for writing. An invalid address has no effect. */
static inline void linux_prefetch(const void *memory, int count) {
    for (int line = 0; line < count; line++)
        __builtin_prefetch((const char *)memory + 64 * line, 1);
}

/* The number of processors that the calling thread may run on, at least 1. */
static inline int linux_processor_count(void) {
    unsigned long mask[1024 / sizeof(unsigned long)] = {0};
    long size = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long index = 0; index < size / (long)sizeof mask[0]; index++)
        count += __builtin_popcountl(mask[index]);
    return count > 0 ? count : 1;
}

/* accept4 is declared for _GNU_SOURCE only, which a module cannot define. */
int accept4(int descriptor, struct sockaddr *address, socklen_t *size, int flags);
static inline int linux_accept(int descriptor, struct sockaddr *address, socklen_t *size) {
    return accept4(descriptor, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* struct in6_pktinfo of RFC 3542 section 6.1, which the C library declares for _GNU_SOURCE only. */
struct linux_in6_pktinfo {
    struct in6_addr ipi6_addr;
    unsigned ipi6_ifindex;
};

/* Sends a datagram on the given interface. In C because ancillary data are written with macros. */
static inline ssize_t linux_send_on(int descriptor, const void *bytes, size_t count, const struct sockaddr *to,
                                    socklen_t length, unsigned interface) {
    union {
        char bytes[CMSG_SPACE(sizeof(struct linux_in6_pktinfo))];
        struct cmsghdr header;
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_name = (void *)to, .msg_namelen = length, .msg_iov = &part, .msg_iovlen = 1,
                             .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (to->sa_family == AF_INET) {
        struct in_pktinfo info = {.ipi_ifindex = (int)interface};
        header->cmsg_level = IPPROTO_IP;
        header->cmsg_type = IP_PKTINFO;
        header->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(header), &info, sizeof info);
        message.msg_controllen = CMSG_SPACE(sizeof info);
    } else {
        struct linux_in6_pktinfo info = {.ipi6_ifindex = interface};
        header->cmsg_level = IPPROTO_IPV6;
        header->cmsg_type = IPV6_PKTINFO;
        header->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(header), &info, sizeof info);
        message.msg_controllen = CMSG_SPACE(sizeof info);
    }
    return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

/* The origin of a received datagram. */
struct linux_arrival {
    struct sockaddr_storage from;
    unsigned interface;
    int is_multicast; /* whether it was sent to a group */
    int is_truncated;
    int64_t waited; /* nanoseconds in the socket; 0 without SO_TIMESTAMPNS */
};

/* Receives a datagram, and tells its source, its interface, and whether it was sent to a multicast group. */
static inline ssize_t linux_receive(int descriptor, void *bytes, size_t count, struct linux_arrival *arrival) {
    union {
        char bytes[256];
        struct cmsghdr header;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {.msg_name = &arrival->from, .msg_namelen = sizeof arrival->from, .msg_iov = &part,
                             .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t received = recvmsg(descriptor, &message, MSG_DONTWAIT);
    if (received < 0)
        return received;
    arrival->interface = 0;
    arrival->is_multicast = 0;
    arrival->is_truncated = (message.msg_flags & MSG_TRUNC) != 0;
    arrival->waited = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof info);
            arrival->interface = (unsigned)info.ipi_ifindex;
            arrival->is_multicast = IN_MULTICAST(ntohl(info.ipi_addr.s_addr));
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
            struct linux_in6_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof info);
            arrival->interface = info.ipi6_ifindex;
            arrival->is_multicast = IN6_IS_ADDR_MULTICAST(&info.ipi6_addr);
        } else if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_TIMESTAMPNS) {
            struct timespec then, now;
            memcpy(&then, CMSG_DATA(header), sizeof then);
            clock_gettime(CLOCK_REALTIME, &now);
            arrival->waited = (int64_t)(now.tv_sec - then.tv_sec) * 1000000000 + now.tv_nsec - then.tv_nsec;
        }
    }
    return received;
}

#endif
