/* The client: measures any server that speaks the protocol of transport-bench(1). Each measure is one line of JSON. */
#define _GNU_SOURCE
#include "raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

static struct sockaddr_in server;
static uint8_t buffer[READ_SIZE + LARGEST_BODY + HEADER];

/* On the loopback interface each run has source addresses of its own, so that ports that rest in TIME_WAIT, of which thousands
   of short connections leave many, do not count. */
static int open_socket(int flags) {
    static uint32_t opened;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0), on = 1;
    if (descriptor < 0)
        give_up("socket");
    if (ntohl(server.sin_addr.s_addr) >> 24 == 127) {
        struct sockaddr_in source = {.sin_family = AF_INET};
        uint32_t run = (uint32_t)getpid() & 0xFFFF;
        source.sin_addr.s_addr = htonl(0x7F000001 + ((run << 3 | (opened++ & 7)) & 0x7FFFF) * 2);
        setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        if (bind(descriptor, (struct sockaddr *)&source, sizeof source))
            give_up("bind");
    }
    set_no_delay(descriptor);
    return descriptor;
}

static int connect_blocking(void) {
    int descriptor = open_socket(0);
    if (connect(descriptor, (struct sockaddr *)&server, sizeof server))
        give_up("connect");
    return descriptor;
}

static void send_all(int descriptor, const uint8_t *bytes, size_t count) {
    while (count) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0)
            give_up("send");
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void send_frame(int descriptor, const uint8_t *body, uint32_t size) {
    uint8_t frame[64];
    write32(frame, size);
    memcpy(frame + HEADER, body, size);
    send_all(descriptor, frame, HEADER + size);
}

/* Receives one frame of a known size. */
static void expect(int descriptor, uint8_t kind, uint8_t *body, uint32_t size) {
    uint8_t header[HEADER];
    if (recv(descriptor, header, HEADER, MSG_WAITALL) != HEADER || read32(header) != size ||
        recv(descriptor, body, size, MSG_WAITALL) != (ssize_t)size || body[0] != kind) {
        fprintf(stderr, "raw: the server did not answer with %c\n", kind);
        exit(1);
    }
}

struct status { uint64_t cpu; uint32_t pid; };

static struct status ask_status(int descriptor) {
    uint8_t body[13] = "S";
    send_frame(descriptor, body, 1);
    expect(descriptor, 's', body, sizeof body);
    return (struct status){read64(body + 1), read32(body + 9)};
}

/* A line of /proc/PID/status in bytes. */
static long memory_of(uint32_t pid, const char *line) {
    char path[64], text[256];
    long kilobytes = -1;
    snprintf(path, sizeof path, "/proc/%u/status", pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(text, sizeof text, file))
        if (!strncmp(text, line, strlen(line)))
            kilobytes = atol(text + strlen(line));
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

static double seconds_since(uint64_t begin) { return (double)(nanoseconds(CLOCK_MONOTONIC) - begin) / 1e9; }

/* Sends data frames and waits until they are counted: coalesced into 256 KiB, or with one write for each. */
static void send_data(int descriptor, uint64_t count, uint32_t size, int is_each) {
    static uint64_t sequence;
    uint8_t body[LARGEST_BODY] = "D", reply[9];
    uint32_t frame = HEADER + size, filled = 0;
    for (uint64_t number = 0; number < count; number++) {
        write64(body + 1, sequence++);
        write32(buffer + filled, size);
        memcpy(buffer + filled + HEADER, body, size);
        filled += frame;
        if (is_each || filled + frame > READ_SIZE) {
            send_all(descriptor, buffer, filled);
            filled = 0;
        }
    }
    send_all(descriptor, buffer, filled);
    body[0] = 'E';
    write64(body + 1, count);
    send_frame(descriptor, body, 9);
    expect(descriptor, 'e', reply, sizeof reply);
    if (read64(reply + 1) != count) {
        fputs("raw: the server has counted wrongly\n", stderr);
        exit(1);
    }
}

static void one_way(uint64_t count, uint32_t size, int is_each) {
    int descriptor = connect_blocking();
    send_data(descriptor, count / 20 + 1, size, is_each);
    uint64_t server_cpu = ask_status(descriptor).cpu, client_cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
    send_data(descriptor, count, size, is_each);
    double seconds = seconds_since(begin);
    client_cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - client_cpu;
    server_cpu = ask_status(descriptor).cpu - server_cpu;
    printf("{\"messagesPerSecond\": %.0f, \"clientCPUPerMillion\": %.5f, "
           "\"serverCPUPerMillion\": %.5f}\n",
           (double)count / seconds, (double)client_cpu / 1e3 / (double)count, (double)server_cpu / 1e3 / (double)count);
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

/* As an event loop does it: epoll, one read, one write. */
static void ping_pong(uint32_t count, uint32_t size) {
    int descriptor = connect_blocking(), epoll = epoll_create1(0);
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
    double *times = allocate(count * sizeof *times);
    uint8_t *frame = allocate(HEADER + size);
    memset(frame, 0, HEADER + size);
    write32(frame, size);
    frame[HEADER] = 'P';
    for (uint32_t number = 0; number < count + count / 10; number++) {
        uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
        send_all(descriptor, frame, HEADER + size);
        for (uint32_t received = 0; received < HEADER + size;) {
            epoll_wait(epoll, &event, 1, -1);
            ssize_t part = recv(descriptor, buffer, READ_SIZE, 0);
            if (part <= 0)
                give_up("recv");
            received += (uint32_t)part;
        }
        if (memcmp(buffer, frame, HEADER + size)) {
            fputs("raw: the server sent something else back\n", stderr);
            exit(1);
        }
        if (number >= count / 10)
            times[number - count / 10] = seconds_since(begin) * 1e6;
    }
    qsort(times, count, sizeof *times, compare);
    printf("{\"p50Microseconds\": %.2f, \"p99Microseconds\": %.2f}\n", times[count / 2], times[count / 100 * 99]);
}

/* Connects many clients that say hello, sees what they cost, and takes one broadcast with all of them. */
static void fan_out(uint32_t clients, uint32_t count, uint32_t size) {
    int control = connect_blocking(), epoll = epoll_create1(0);
    uint32_t pid = ask_status(control).pid;
    int *descriptors = allocate(clients * sizeof *descriptors);
    uint64_t *left = allocate(clients * sizeof *left);
    long before = memory_of(pid, "VmRSS:");
    uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
    for (uint32_t client = 0; client < clients; client++) {
        uint8_t body[1] = "H";
        descriptors[client] = connect_blocking();
        left[client] = (uint64_t)count * (HEADER + size);
        send_frame(descriptors[client], body, 1);
        expect(descriptors[client], 'h', body, 1);
        fcntl(descriptors[client], F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = client};
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptors[client], &event);
    }
    double connecting = seconds_since(begin);
    long idle = memory_of(pid, "VmRSS:");

    uint8_t body[9] = "G";
    write32(body + 1, count);
    write32(body + 5, size);
    begin = nanoseconds(CLOCK_MONOTONIC);
    uint64_t cpu = ask_status(control).cpu;
    send_frame(control, body, sizeof body);
    for (uint32_t unfinished = clients; unfinished;) {
        struct epoll_event events[256];
        int happened = epoll_wait(epoll, events, 256, 60000);
        if (happened == 0) {
            fputs("raw: not everything arrived\n", stderr);
            exit(1);
        }
        for (int index = 0; index < happened; index++) {
            uint32_t client = events[index].data.u32;
            ssize_t part = recv(descriptors[client], buffer, READ_SIZE, 0);
            if (part < 0 && errno == EAGAIN)
                continue;
            if (part <= 0 || (uint64_t)part > left[client])
                give_up("recv");
            // A read that begins with a frame is looked at: its header and kind have to be right.
            if (left[client] % (HEADER + size) == 0 && part > HEADER && (read32(buffer) != size || buffer[HEADER] != 'B')) {
                fputs("raw: the server broadcasts something else\n", stderr);
                exit(1);
            }
            left[client] -= (uint64_t)part;
            unfinished -= left[client] == 0;
        }
    }
    double seconds = seconds_since(begin);
    cpu = ask_status(control).cpu - cpu;
    printf("{\"seconds\": %.5f, \"serverCPUSeconds\": %.5f, \"idleBytesPerConnection\": %.0f, "
           "\"growthBytes\": %ld, \"hellosPerSecond\": %.0f}\n",
           seconds, (double)cpu / 1e9, (double)(idle - before) / clients, memory_of(pid, "VmHWM:") - idle,
           clients / connecting);
}

/* Connections that say hello, are answered and close, so many of them at the same time. */
static void greet(uint32_t count, uint32_t at_once) {
    int control = connect_blocking(), epoll = epoll_create1(0);
    uint32_t begun = 0, done = 0, warm_up = count / 10;
    uint64_t begin = 0, cpu = 0;
    static const uint8_t hello[HEADER + 1] = {0, 0, 0, 1, 'H'};
    struct epoll_event events[256];
    while (done < count + warm_up) {
        if (!begin && done >= warm_up) {
            cpu = ask_status(control).cpu;
            begin = nanoseconds(CLOCK_MONOTONIC);
        }
        while (begun < count + warm_up && begun - done < at_once) {
            int descriptor = open_socket(SOCK_NONBLOCK);
            if (connect(descriptor, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS)
                give_up("connect");
            struct epoll_event event = {.events = EPOLLOUT, .data.fd = descriptor};
            epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
            begun++;
        }
        int happened = epoll_wait(epoll, events, 256, 10000);
        if (happened == 0)
            give_up("the server does not answer any more");
        for (int index = 0; index < happened; index++) {
            int descriptor = events[index].data.fd;
            if (events[index].events & EPOLLOUT) {
                send_all(descriptor, hello, sizeof hello);
                struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
                epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
            } else {
                if (recv(descriptor, buffer, READ_SIZE, 0) != HEADER + 1 || buffer[HEADER] != 'h')
                    give_up("recv");
                close(descriptor);
                done++;
            }
        }
    }
    double seconds = seconds_since(begin);
    cpu = ask_status(control).cpu - cpu;
    printf("{\"connectionsPerSecond\": %.0f, \"serverCPUMicroseconds\": %.2f}\n", count / seconds, (double)cpu / 1e3 / count);
}

int measure(int count, char **arguments) {
    uint32_t numbers[3] = {0};
    for (int index = 3; index < count && index < 6; index++)
        numbers[index - 3] = (uint32_t)strtoul(arguments[index], NULL, 10);
    server.sin_family = AF_INET;
    server.sin_port = htons((uint16_t)atoi(arguments[2]));
    if (inet_pton(AF_INET, arguments[1], &server.sin_addr) != 1)
        give_up("the host has to be an IPv4 address");
    if (count == 6 && !strcmp(arguments[0], "one-way"))
        one_way(numbers[0], numbers[1], (int)numbers[2]);
    else if (count == 5 && !strcmp(arguments[0], "ping-pong"))
        ping_pong(numbers[0], numbers[1]);
    else if (count == 6 && !strcmp(arguments[0], "fan-out"))
        fan_out(numbers[0], numbers[1], numbers[2]);
    else if (count == 5 && !strcmp(arguments[0], "accept"))
        greet(numbers[0], numbers[1]);
    else
        return 64;
    return 0;
}
