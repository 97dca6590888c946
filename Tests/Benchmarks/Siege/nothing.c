/* nothing KIND PORT UPGRADE: peers who send bytes that give a server nothing, as many as it takes, until they are told to end (SIGTERM);
   then a line of JSON tells how often they connected, were cut off by the server, and did not get in.

   KIND is what they send: over TLS, after the code to compare that a room without a passcode asks for, `keys` (requests for new keys),
   `records` (records of one byte, of which four are a heartbeat) or `padding` (the same, filled up to 16 KiB); over a WebSocket, which
   the file UPGRADE asks for, `pings`, `messages` (without content) or `continuations`.

   What goes over TLS is prepared for three seconds, so that the server works longer than they did. They come from addresses of their own,
   127.8.x.y, and come again when they are cut off. */
#include "siege.h"
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PEERS = 2, MOST = 64 << 20, PART = 32 };

static struct figures { _Atomic uint64_t connected, cut_off, refused, bytes; } *figures;
static volatile sig_atomic_t is_over;
static uint16_t port;
static uint8_t *prepared, dropped[65536];

static void end(int number) {
    (void)number;
    is_over = 1;
}

/* Waits for an event; 0 if there was none in a second. */
static int await(int descriptor, short events) {
    struct pollfd entry = {.fd = descriptor, .events = events};
    return poll(&entry, 1, 1000) > 0 ? entry.revents : 0;
}

/* Sends everything, and drops what comes meanwhile; 0 if the server has ended it. */
static int say(int descriptor, const uint8_t *bytes, size_t count) {
    while (count > 0 && !is_over) {
        int events = await(descriptor, POLLIN | POLLOUT);
        if (events & POLLIN) {
            ssize_t heard = recv(descriptor, dropped, sizeof dropped, 0);
            if (heard == 0 || (heard < 0 && errno != EAGAIN))
                return 0;
        }
        if (events & (POLLERR | POLLHUP))
            return 0;
        if (!(events & POLLOUT))
            continue;
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            return 0;
        if (sent > 0) {
            figures->bytes += (uint64_t)sent;
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return 1;
}

/* Waits for the server's end. */
static void stay(int descriptor) {
    while (!is_over) {
        ssize_t heard = await(descriptor, POLLIN) ? recv(descriptor, dropped, sizeof dropped, 0) : 1;
        if (heard == 0 || (heard < 0 && errno != EAGAIN))
            break;
    }
}

/* Moves what the library has to say to the server. */
static int flush(SSL *ssl, int descriptor) {
    static uint8_t bytes[65536];
    int count = BIO_read(SSL_get_wbio(ssl), bytes, sizeof bytes);
    return count <= 0 || say(descriptor, bytes, (size_t)count);
}

/* Moves bytes between the library and the server until a call of the library is done. */
static int carry(SSL *ssl, int descriptor, int result) {
    if (!flush(ssl, descriptor) || result > 0 || SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ)
        return result > 0 ? 1 : -1;
    ssize_t count = await(descriptor, POLLIN) ? recv(descriptor, dropped, sizeof dropped, 0) : 0;
    if (count <= 0)
        return -1;
    BIO_write(SSL_get_rbio(ssl), dropped, (int)count);
    return 0;
}

/* Agrees on six digits: a commitment, the server's part, the part (see FramedSecurity/Introductions). */
static int compare(SSL *ssl, int descriptor) {
    static const char label[] = "EXPORTER-bonjourish-channel-binding", purpose[] = "comparison commitment";
    uint8_t binding[64], text[1 + sizeof purpose - 1 + 1 + PART], code[EVP_MAX_MD_SIZE], message[2 + PART] = {4, PART};
    uint8_t *part = text + sizeof text - PART;
    text[0] = sizeof purpose - 1;
    memcpy(text + 1, purpose, sizeof purpose - 1);
    part[-1] = PART;
    RAND_bytes(part, PART);
    if (SSL_export_keying_material(ssl, binding, sizeof binding, label, sizeof label - 1, NULL, 0, 0) != 1)
        return 0;
    HMAC(EVP_sha512(), binding, sizeof binding, text, sizeof text, code, NULL);
    memcpy(message + 2, code, PART);
    SSL_write(ssl, message, sizeof message);
    if (!flush(ssl, descriptor))
        return 0;
    int state;
    while ((state = carry(ssl, descriptor, SSL_read(ssl, message, sizeof message))) == 0)
        ;
    message[0] = 6;
    memcpy(message + 2, part, PART);
    SSL_write(ssl, message, sizeof message);
    return state > 0 && flush(ssl, descriptor);
}

/* What is to be sent: as much as three seconds give. */
static size_t prepare(SSL *ssl, const char *kind) {
    size_t count = 0;
    uint64_t deadline = now() + milliseconds(3000);
    if (!strcmp(kind, "padding"))
        SSL_set_block_padding(ssl, 16384);
    int is_keys = !strcmp(kind, "keys");
    while (now() < deadline && count < MOST - 65536) {
        if (is_keys) {
            SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
            SSL_do_handshake(ssl);
        } else {
            SSL_write(ssl, "", 1);
        }
        int taken = BIO_read(SSL_get_wbio(ssl), prepared + count, 65536);
        count += taken > 0 ? (size_t)taken : 0;
    }
    return count;
}

static int attack_tls(SSL_CTX *context, int descriptor, const char *kind) {
    static const uint8_t protocol[] = "\x0c" "bonjourish/1";
    SSL *ssl = SSL_new(context);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_alpn_protos(ssl, protocol, sizeof protocol - 1);
    SSL_set_connect_state(ssl);
    int state;
    while ((state = carry(ssl, descriptor, SSL_do_handshake(ssl))) == 0 && !is_over)
        ;
    int is_in = state > 0 && compare(ssl, descriptor);
    if (is_in) {
        figures->connected++;
        if (say(descriptor, prepared, prepare(ssl, kind)))
            stay(descriptor);
    }
    SSL_free(ssl);
    return is_in;
}

static int attack_web(int descriptor, const char *kind, const uint8_t *upgrade, size_t size) {
    uint8_t first[6] = {0x01, 0x80}, frame[6] = {0x89, 0x80};
    if (!say(descriptor, upgrade, size) || !await(descriptor, POLLIN) || recv(descriptor, dropped, sizeof dropped, 0) <= 12 ||
        memcmp(dropped, "HTTP/1.1 101", 12))
        return 0;
    figures->connected++;
    frame[0] = !strcmp(kind, "pings") ? 0x89 : !strcmp(kind, "messages") ? 0x81 : 0x00;
    for (size_t place = 0; place < 60000; place += sizeof frame)
        memcpy(prepared + place, frame, sizeof frame);
    if (frame[0] == 0)
        say(descriptor, first, sizeof first);
    while (!is_over && say(descriptor, prepared, 60000))
        ;
    return 1;
}

static void attack(const char *kind, int number, const uint8_t *upgrade, size_t size) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    prepared = malloc(MOST);
    for (uint32_t round = 0; !is_over; round++) {
        uint32_t source = 0x7F080000 | (uint32_t)number << 8 | (round % 250 + 1);
        int descriptor = begin_connecting(port, source, 0), is_web = strchr("pmc", kind[0]) && strcmp(kind, "padding");
        int is_in = descriptor >= 0 && await(descriptor, POLLOUT) &&
                    (is_web ? attack_web(descriptor, kind, upgrade, size) : attack_tls(context, descriptor, kind));
        if (!is_in) {
            figures->refused++;
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        } else if (!is_over) {
            figures->cut_off++;
        }
        if (descriptor >= 0)
            close(descriptor);
    }
    exit(0);
}

int main(int count, char **arguments) {
    if (count != 4)
        return 2;
    static uint8_t upgrade[4096];
    FILE *file = fopen(arguments[3], "r");
    if (!file)
        give_up(arguments[3]);
    size_t size = fread(upgrade, 1, sizeof upgrade, file);
    fclose(file);
    port = (uint16_t)atoi(arguments[2]);
    figures = mmap(NULL, sizeof *figures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    pid_t peers[PEERS];
    for (int number = 0; number < PEERS; number++)
        if ((peers[number] = fork()) == 0)
            attack(arguments[1], number, upgrade, size);
    while (!is_over)
        pause();
    for (int number = 0; number < PEERS; number++) {
        kill(peers[number], SIGTERM);
        waitpid(peers[number], NULL, 0);
    }
    printf("{\"%s\":{\"connected\":%llu,\"cut_off\":%llu,\"refused\":%llu,\"bytes\":%llu}}\n", arguments[1],
           (unsigned long long)figures->connected, (unsigned long long)figures->cut_off, (unsigned long long)figures->refused,
           (unsigned long long)figures->bytes);
    return 0;
}
