/* The server: one thread, epoll, 256 KiB reads, what a read has caused is written in one call; a broadcast is one buffer
   with a cursor for each member. */
#define _GNU_SOURCE
#include "raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
    int descriptor;
    int member;         /* its place among the members; -1: none */
    uint32_t partial;   /* how many bytes of a frame that is not complete are in `rest` */
    uint32_t waiting;   /* how many bytes are in `out` */
    uint8_t *rest;
    uint8_t *out;       /* what the system did not take of the answers */
    uint64_t counted;   /* data frames since the last end */
    uint64_t next;      /* the number that the next of them must have */
    uint64_t cursor;    /* how much of the broadcast has left */
    int is_blocked;
};

static int epoll;
static uint8_t buffer[LARGEST_BODY + HEADER + READ_SIZE];
static uint8_t answers[4 * sizeof buffer]; /* the longest answer to the shortest question is 3.4 times as long */
static uint32_t answered;

static struct client **members;
static int member_count, member_room;

/* The broadcast that is under way: its frames one after another. */
static uint8_t *shared;
static uint64_t shared_size;
static int unfinished;

static void watch(struct client *client, int operation) {
    struct epoll_event event = {.events = EPOLLIN | (client->is_blocked ? EPOLLOUT : 0), .data.ptr = client};
    if (epoll_ctl(epoll, operation, client->descriptor, &event))
        give_up("epoll_ctl");
}

static void set_blocked(struct client *client, int is_blocked) {
    if (client->is_blocked == is_blocked)
        return;
    client->is_blocked = is_blocked;
    watch(client, EPOLL_CTL_MOD);
}

static void finish_one(void) {
    if (--unfinished == 0) {
        free(shared);
        shared = NULL;
    }
}

static int is_unfinished(const struct client *client) {
    return shared && client->member >= 0 && client->cursor < shared_size;
}

static void end(struct client *client) {
    if (is_unfinished(client))
        finish_one();
    if (client->member >= 0) {
        members[client->member] = members[--member_count];
        members[client->member]->member = client->member;
    }
    close(client->descriptor);
    free(client->rest);
    free(client->out);
    free(client);
}

/* Writes answers that waited and the broadcast as far as the system takes them, all in one call or frame by frame. */
static void flush(struct client *client) {
    while (client->waiting) {
        ssize_t sent = send(client->descriptor, client->out, client->waiting, MSG_NOSIGNAL);
        if (sent < 0)
            return set_blocked(client, 1);
        client->waiting -= (uint32_t)sent;
        memmove(client->out, client->out + sent, client->waiting);
        if (!client->waiting) {
            free(client->out);
            client->out = NULL;
        }
    }
    while (is_unfinished(client)) {
        ssize_t sent = send(client->descriptor, shared + client->cursor, shared_size - client->cursor, MSG_NOSIGNAL);
        if (sent < 0)
            return set_blocked(client, 1);
        client->cursor += (uint64_t)sent;
        if (client->cursor == shared_size)
            finish_one();
    }
    set_blocked(client, 0);
}

static void broadcast(uint32_t count, uint32_t size) {
    if (shared) {
        fputs("raw: one broadcast at a time\n", stderr);
        exit(1);
    }
    if (!member_count || !count)
        return;
    shared_size = (uint64_t)count * (HEADER + size);
    shared = allocate(shared_size);
    unfinished = member_count;
    for (uint8_t *frame = shared; frame < shared + shared_size; frame += HEADER + size) {
        write32(frame, size);
        frame[HEADER] = 'B';
        memset(frame + HEADER + 1, 0, size - 1);
    }
    for (int place = 0; place < member_count; place++)
        members[place]->cursor = 0;
    for (int place = 0; place < member_count && shared; place++)
        flush(members[place]);
}

static uint8_t *answer(uint32_t size) {
    uint8_t *body = answers + answered + HEADER;
    write32(answers + answered, size);
    answered += HEADER + size;
    return body;
}

static void handle(struct client *client, const uint8_t *body, uint32_t size) {
    switch (body[0]) {
    case 'D':
        if (size < 9 || (client->counted && read64(body + 1) != client->next)) {
            fputs("raw: data are out of order\n", stderr);
            exit(1);
        }
        client->next = read64(body + 1) + 1;
        client->counted++;
        break;
    case 'E': {
        uint8_t *reply = answer(9);
        reply[0] = 'e';
        write64(reply + 1, client->counted);
        client->counted = 0;
        break;
    }
    case 'P':
        memcpy(answer(size), body, size);
        break;
    case 'H':
        *answer(1) = 'h';
        if (member_count == member_room) {
            member_room = member_room ? 2 * member_room : 64;
            members = realloc(members, (size_t)member_room * sizeof *members);
        }
        client->member = member_count;
        client->cursor = shared_size; // what is under way is not for one who comes later
        members[member_count++] = client;
        break;
    case 'S': {
        uint8_t *reply = answer(13);
        reply[0] = 's';
        write64(reply + 1, nanoseconds(CLOCK_PROCESS_CPUTIME_ID));
        write32(reply + 9, (uint32_t)getpid());
        break;
    }
    case 'G':
        broadcast(read32(body + 1), read32(body + 5));
        break;
    default:
        fprintf(stderr, "raw: no such kind: %d\n", body[0]);
        exit(1);
    }
}

/* Reads once, and answers once. */
static void receive(struct client *client) {
    memcpy(buffer, client->rest, client->partial);
    ssize_t received = recv(client->descriptor, buffer + client->partial, READ_SIZE, 0);
    if (received <= 0) {
        if (received == 0 || errno != EAGAIN)
            end(client);
        return;
    }
    const uint8_t *position = buffer, *stop = buffer + client->partial + received;
    answered = 0;
    while (stop - position >= HEADER) {
        uint32_t size = read32(position);
        if (size == 0 || size > LARGEST_BODY) {
            fputs("raw: a frame is empty or too large\n", stderr);
            exit(1);
        }
        if (stop - position - HEADER < size)
            break;
        handle(client, position + HEADER, size);
        position += HEADER + size;
    }
    uint32_t partial = (uint32_t)(stop - position);
    if (partial != client->partial) {
        free(client->rest);
        client->rest = partial ? allocate(partial) : NULL;
    }
    client->partial = partial;
    if (partial)
        memcpy(client->rest, position, partial);
    if (!answered)
        return;
    ssize_t sent = client->waiting ? 0 : send(client->descriptor, answers, answered, MSG_NOSIGNAL);
    sent = sent < 0 ? 0 : sent;
    if (sent == answered)
        return;
    client->out = realloc(client->out, client->waiting + answered - (uint32_t)sent);
    memcpy(client->out + client->waiting, answers + sent, answered - (uint32_t)sent);
    client->waiting += answered - (uint32_t)sent;
    set_blocked(client, 1);
}

static void accept_all(int listener) {
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct client *client = calloc(1, sizeof *client);
        client->descriptor = descriptor;
        client->member = -1;
        watch(client, EPOLL_CTL_ADD);
    }
}

int serve(int port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    set_no_delay(listener);
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, SOMAXCONN) ||
        getsockname(listener, (struct sockaddr *)&address, &size))
        give_up("listen");
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    printf("ready %d\n", ntohs(address.sin_port));
    fflush(stdout);
    while (1) {
        struct epoll_event events[256];
        int count = epoll_wait(epoll, events, 256, -1);
        for (int index = 0; index < count; index++) {
            struct client *client = events[index].data.ptr;
            if (!client) {
                accept_all(listener);
                continue;
            }
            if (events[index].events & EPOLLOUT)
                flush(client);
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
                receive(client);
        }
    }
}
