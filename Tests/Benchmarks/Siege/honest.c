/* honest PORT CLIENTS: clients that behave, each of which sends a frame, waits until it has come back, and sends the next; and
   one visitor after another who connects, does so once, and goes.

   Every frame has a number and random bytes, and has to come back as it was, in order. At each line on standard input a line of
   JSON tells what has happened since the one before; at the end of the input the last answers are awaited. */
#include "siege.h"

enum { SMALLEST = 16, LARGEST = 1024, BUCKETS = 2000000 };

struct client {
    int descriptor;
    uint64_t number, begin;
    uint32_t size, sent, received;
    uint8_t frame[HEADER + LARGEST], answer[HEADER + LARGEST];
};

static uint16_t port;
static int poll_descriptor;
static uint64_t seed = 1;
/* Answers by their time in microseconds. */
static uint32_t buckets[BUCKETS];
static uint64_t answers, wrong, broken, visits, turned_away, longest_visit;
static int is_ending;

static void watch(int descriptor, void *who, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data.ptr = who};
    epoll_ctl(poll_descriptor, operation, descriptor, &event);
}

static void flush(struct client *client) {
    ssize_t count = send(client->descriptor, client->frame + client->sent, client->size - client->sent, MSG_NOSIGNAL);
    if (count > 0)
        client->sent += (uint32_t)count;
}

static void ask(struct client *client) {
    uint32_t body = SMALLEST + (uint32_t)(random_number(&seed) % (LARGEST - SMALLEST + 1));
    write_length(client->frame, body);
    for (uint32_t place = HEADER; place < HEADER + body; place++)
        client->frame[place] = (uint8_t)random_number(&seed);
    client->frame[HEADER] = 'P';
    client->number++;
    memcpy(client->frame + HEADER + 1, &client->number, sizeof client->number);
    client->size = HEADER + body;
    client->sent = client->received = 0;
    client->begin = now();
    flush(client);
}

/* Takes what has come; 1 when the answer is complete, -1 when the connection is broken or the answer wrong. */
static int hear(struct client *client) {
    ssize_t count = recv(client->descriptor, client->answer + client->received, client->size - client->received, 0);
    if (count < 0 && errno == EAGAIN)
        return 0;
    if (count <= 0) {
        broken++;
        return -1;
    }
    client->received += (uint32_t)count;
    if (memcmp(client->answer, client->frame, client->received)) {
        wrong++;
        return -1;
    }
    return client->received == client->size;
}

static void note(struct client *client) {
    uint64_t time = (now() - client->begin) / 1000;
    buckets[time < BUCKETS ? time : BUCKETS - 1]++;
    answers++;
}

static uint32_t percentile(double part) {
    uint64_t due = (uint64_t)((double)answers * part), passed = 0;
    for (uint32_t time = 0; time < BUCKETS; time++)
        if ((passed += buckets[time]) > due)
            return time;
    return BUCKETS;
}

static void report(void) {
    printf("{\"answers\":%llu,\"p50\":%u,\"p99\":%u,\"p999\":%u,\"wrong\":%llu,\"broken\":%llu,\"visits\":%llu,"
           "\"turned_away\":%llu,\"longest_visit_ms\":%llu}\n",
           (unsigned long long)answers, percentile(0.5), percentile(0.99), percentile(0.999), (unsigned long long)wrong,
           (unsigned long long)broken, (unsigned long long)visits, (unsigned long long)turned_away,
           (unsigned long long)(longest_visit / 1000000));
    fflush(stdout);
    memset(buckets, 0, sizeof buckets);
    answers = visits = turned_away = longest_visit = 0;
}

/* Lets a visitor come, go, or come again; a try that is turned away is repeated until he has been served. */
static void visit(struct client *visitor, uint32_t events) {
    static uint64_t begin, due;
    if (visitor->descriptor < 0) {
        if (is_ending || now() < due)
            return;
        if (!begin)
            begin = now();
        visitor->descriptor = begin_connecting(port, 0x7F000002, 0);
        if (visitor->descriptor >= 0) {
            visitor->size = 0;
            watch(visitor->descriptor, visitor, EPOLLOUT, EPOLL_CTL_ADD);
        }
        return;
    }
    int outcome = 0;
    if (!events)
        outcome = now() > visitor->begin + milliseconds(1000) ? -1 : 0;
    else if (!visitor->size) {
        ask(visitor);
        watch(visitor->descriptor, visitor, EPOLLIN, EPOLL_CTL_MOD);
    } else {
        uint64_t broken_before = broken;
        outcome = hear(visitor);
        broken = broken_before;
    }
    if (!outcome)
        return;
    close(visitor->descriptor);
    visitor->descriptor = -1;
    due = now() + milliseconds(20);
    if (outcome < 0) {
        turned_away++;
        return;
    }
    visits++;
    if (now() - begin > longest_visit)
        longest_visit = now() - begin;
    begin = 0;
}

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    port = (uint16_t)atoi(arguments[1]);
    int clients = atoi(arguments[2]), waiting = clients;
    poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
    struct client *all = calloc((size_t)clients + 1, sizeof *all), *visitor = all + clients;
    visitor->descriptor = -1;
    for (struct client *client = all; client < visitor; client++) {
        client->descriptor = begin_connecting(port, 0x7F000001, 0);
        if (client->descriptor < 0)
            give_up("connect");
        watch(client->descriptor, client, EPOLLOUT, EPOLL_CTL_ADD);
        /* One after another, so that they are not too many pending connections of one address. */
        struct epoll_event event;
        if (epoll_wait(poll_descriptor, &event, 1, 5000) != 1)
            give_up("connect");
        watch(client->descriptor, client, EPOLLIN, EPOLL_CTL_MOD);
        ask(client);
        while (epoll_wait(poll_descriptor, &event, 1, 5000) == 1 && hear(client) == 0)
            ;
        if (client->received != client->size)
            give_up("hello");
    }
    for (struct client *client = all; client < visitor; client++)
        ask(client);
    watch(STDIN_FILENO, NULL, EPOLLIN, EPOLL_CTL_ADD);
    uint64_t end = 0;
    while (waiting > 0 && (!end || now() < end)) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll_descriptor, events, 256, 10);
        for (int index = 0; index < ready; index++) {
            struct client *client = events[index].data.ptr;
            if (!client) {
                char line[256];
                if (read(STDIN_FILENO, line, sizeof line) > 0) {
                    report();
                } else {
                    watch(STDIN_FILENO, NULL, 0, EPOLL_CTL_DEL);
                    is_ending = 1;
                    end = now() + milliseconds(5000);
                }
            } else if (client == visitor) {
                visit(visitor, events[index].events);
            } else {
                int outcome = hear(client);
                if (client->sent < client->size)
                    flush(client);
                if (outcome > 0)
                    note(client);
                if (outcome > 0 && !is_ending) {
                    ask(client);
                } else if (outcome) {
                    watch(client->descriptor, client, 0, EPOLL_CTL_DEL);
                    close(client->descriptor);
                    waiting--;
                }
            }
        }
        visit(visitor, 0);
    }
    /* Whoever still waits for an answer has lost it. */
    wrong += (uint64_t)waiting;
    report();
    return 0;
}
