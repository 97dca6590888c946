/* attack PORT SEED [OPENING [REQUEST BEGINNING]]: all who besiege a server at once, until they are told to end (SIGTERM); then a line of
   JSON tells how often they connected, were cut off by the server, and did not get in.

   OPENING is a file with what a client of a handshake says first, for those who let the server answer and say no more.

   REQUEST and BEGINNING are for a server of HTTP: a request for something large, and the first line of a request without an end. Then
   OPENING is the hello, those who are deaf ask with REQUEST, the dribblers with BEGINNING, which is no frame if they have said hello,
   and the flooder sends a head that never ends.

   Each kind comes from addresses of its own, 127.KIND.x.y. Who is cut off comes again. */
#include "siege.h"

enum kind {
    /* Say nothing. */
    HALF_OPEN,
    /* Begin a frame, and send a byte a second; every other has sent a frame before. */
    DRIBBLER,
    /* Ask, and do not read the answers. */
    DEAF,
    /* Asks as fast as it can, and drops the answers. */
    FLOODER,
    /* Send anything, and break the connection. */
    RESETTER,
    /* Say hello and stay, many at a time, until there are no descriptors left; come and go together. */
    CROWD,
    /* Begin the handshake, and come again as soon as the server has done its part; while the crowd is not there, for others
       would not get as far as it. */
    OPENER,
    KINDS,
};

static const char *const names[KINDS] = {"half_open", "dribblers", "deaf", "flooders", "resetters", "crowd", "openers"};
static const int sizes[KINDS] = {2000, 200, 50, 1, 50, 1000, 100};
/* How long who was cut off, or did not get in, waits before he comes again. */
static const uint64_t pauses[KINDS] = {500, 500, 100, 100, 10, 1000, 10};

struct attacker {
    int descriptor;
    enum kind kind;
    int number;
    int is_connected;
    uint64_t due;
};

static struct figures { uint64_t connected, cut_off, refused, sent; } figures[KINDS];
static uint16_t port;
static uint64_t seed;
static int poll_descriptor;
static volatile sig_atomic_t is_over;
static uint8_t hello[4096], beginning[4096], flood[64 * (HEADER + 64)], large[16 * (HEADER + 4096)];
static uint8_t rubbish[256 * 1024], opening[4096];
static size_t hello_size = HEADER + 16, beginning_size = HEADER + 1, opening_size;

static void end(int number) {
    (void)number;
    is_over = 1;
}

static void fill(uint8_t *bytes, size_t size, uint32_t body) {
    for (uint8_t *frame = bytes; frame + HEADER + body <= bytes + size; frame += HEADER + body) {
        write_length(frame, body);
        memset(frame + HEADER, 'P', body);
    }
}

static void watch(struct attacker *who, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data.ptr = who};
    epoll_ctl(poll_descriptor, operation, who->descriptor, &event);
}

static uint64_t number_below(uint64_t limit) { return random_number(&seed) % limit; }

static int is_crowd_on(void) { return now() / milliseconds(5000) % 2; }

static void leave(struct attacker *who, int is_reset) {
    if (is_reset)
        reset(who->descriptor);
    else
        close(who->descriptor);
    who->descriptor = -1;
    who->due = now() + milliseconds(pauses[who->kind] / 2 + number_below(pauses[who->kind]));
}

static void say(struct attacker *who, const void *bytes, size_t size) {
    ssize_t sent = send(who->descriptor, bytes, size, MSG_NOSIGNAL);
    if (sent > 0)
        figures[who->kind].sent += (uint64_t)sent;
}

static void come(struct attacker *who) {
    if ((who->kind == CROWD && !is_crowd_on()) || (who->kind == OPENER && is_crowd_on()))
        return;
    /* Half of those who say nothing are one machine. */
    uint32_t host = who->kind == HALF_OPEN && who->number % 2 ? 0 : (uint32_t)who->number % 250;
    uint32_t source = 0x7F000000 | ((uint32_t)who->kind + 1) << 16 | (host + 1);
    who->descriptor = begin_connecting(port, source, who->kind == DEAF ? 4096 : 0);
    who->is_connected = 0;
    if (who->descriptor < 0) {
        who->due = now() + milliseconds(1000);
        return;
    }
    watch(who, EPOLLOUT, EPOLL_CTL_ADD);
    /* Says hello before others can displace it. */
    if (who->kind == CROWD)
        say(who, hello, hello_size);
}

static void begin(struct attacker *who) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(who->descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
        figures[who->kind].refused++;
        return leave(who, 0);
    }
    who->is_connected = 1;
    figures[who->kind].connected++;
    uint32_t events = EPOLLIN | EPOLLRDHUP;
    switch (who->kind) {
    case HALF_OPEN:
        break;
    case DRIBBLER:
        if (who->number % 2)
            say(who, hello, hello_size);
        say(who, beginning, beginning_size);
        who->due = now() + milliseconds(1000);
        break;
    case DEAF:
        events = EPOLLOUT | EPOLLRDHUP;
        break;
    case FLOODER:
        events |= EPOLLOUT;
        break;
    case RESETTER:
        say(who, rubbish + number_below(sizeof rubbish - 2048), number_below(2048));
        who->due = now() + milliseconds(number_below(200));
        break;
    case CROWD:
        who->due = now() + milliseconds(100);
        break;
    case OPENER:
        say(who, opening, opening_size);
        break;
    case KINDS:
        break;
    }
    watch(who, events, EPOLL_CTL_MOD);
}

static void happen(struct attacker *who, uint32_t events) {
    if (who->descriptor < 0)
        return;
    if (!who->is_connected)
        return begin(who);
    if (who->kind == DEAF) {
        if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) {
            figures[DEAF].cut_off++;
            return leave(who, 1);
        }
        return say(who, large, sizeof large);
    }
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP)) {
        ssize_t count = recv(who->descriptor, rubbish, 65536, 0);
        if (count == 0 || (count < 0 && errno != EAGAIN)) {
            figures[who->kind].cut_off++;
            return leave(who, 0);
        }
        if (who->kind == OPENER && count > 0)
            return leave(who, 1);
    }
    if (who->kind == FLOODER && events & EPOLLOUT)
        say(who, flood, sizeof flood);
}

static void wake(struct attacker *who) {
    if (who->descriptor < 0)
        return come(who);
    if (!who->is_connected)
        return;
    who->due = now() + milliseconds(1000);
    if (who->kind == DRIBBLER)
        say(who, "x", 1);
    else if (who->kind == RESETTER)
        leave(who, 1);
    else if (who->kind == CROWD && !is_crowd_on())
        leave(who, 0);
}

static size_t contents(const char *path, uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "r");
    if (!file)
        give_up(path);
    size = fread(bytes, 1, size, file);
    fclose(file);
    return size;
}

/* Makes all that is said a part of HTTP. */
static void speak_http(const char *request_path, const char *beginning_path) {
    uint8_t request[1024];
    size_t size = contents(request_path, request, sizeof request);
    /* Line feeds before a request are nothing. */
    memset(large, '\n', sizeof large);
    for (size_t place = 0; size > 0 && place + size <= sizeof large; place += size)
        memcpy(large + place, request, size);
    memcpy(hello, opening, hello_size = opening_size);
    beginning_size = contents(beginning_path, beginning, sizeof beginning);
    memset(flood, 'x', sizeof flood);
    memcpy(flood, beginning, beginning_size);
}

int main(int count, char **arguments) {
    if (count < 3 || count == 5 || count > 6)
        return 2;
    if (count > 3)
        opening_size = contents(arguments[3], opening, sizeof opening);
    port = (uint16_t)atoi(arguments[1]);
    seed = (uint64_t)atoll(arguments[2]);
    signal(SIGTERM, end);
    poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
    fill(hello, hello_size, (uint32_t)hello_size - HEADER);
    write_length(beginning, 4000);
    fill(flood, sizeof flood, 64);
    fill(large, sizeof large, 4096);
    for (size_t place = 0; place < sizeof rubbish; place++)
        rubbish[place] = (uint8_t)random_number(&seed);
    if (count == 6)
        speak_http(arguments[4], arguments[5]);
    int total = 0;
    for (int kind = 0; kind < KINDS; kind++)
        total += kind == OPENER && !opening_size ? 0 : sizes[kind];
    struct attacker *all = calloc((size_t)total, sizeof *all), *next = all;
    for (int kind = 0; kind < KINDS; kind++)
        for (int number = 0; number < sizes[kind] && next < all + total; number++)
            *next++ = (struct attacker){
                .descriptor = -1, .kind = (enum kind)kind, .number = number, .due = now() + milliseconds(number_below(1000))};
    uint64_t look = 0;
    while (!is_over) {
        struct epoll_event events[512];
        int ready = epoll_wait(poll_descriptor, events, 512, 10);
        for (int index = 0; index < ready; index++)
            happen(events[index].data.ptr, events[index].events);
        if (now() < look)
            continue;
        look = now() + milliseconds(10);
        for (struct attacker *who = all; who < next; who++)
            if (who->due <= look)
                wake(who);
    }
    for (int kind = 0; kind < KINDS; kind++)
        printf("%s\"%s\":{\"connected\":%llu,\"cut_off\":%llu,\"refused\":%llu,\"bytes\":%llu}", kind ? "," : "{", names[kind],
               (unsigned long long)figures[kind].connected, (unsigned long long)figures[kind].cut_off,
               (unsigned long long)figures[kind].refused, (unsigned long long)figures[kind].sent);
    puts("}");
    return 0;
}
