/* raw serve PORT | raw MEASURE HOST PORT NUMBERS...: the baseline of the transport's benchmarks, server and client. */
#include "raw.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>

_Noreturn void give_up(const char *what) {
    perror(what);
    exit(1);
}

void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory)
        give_up("malloc");
    return memory;
}

void set_no_delay(int descriptor) {
    int on = 1;
    if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        give_up("setsockopt");
}

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    if (count == 3 && !strcmp(arguments[1], "serve"))
        return serve(atoi(arguments[2]));
    if (count > 3)
        return measure(count - 1, arguments + 1);
    fputs("usage: raw serve PORT | raw MEASURE HOST PORT NUMBERS...\n", stderr);
    return 64;
}
