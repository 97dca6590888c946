/* libsodium for Swift: ristretto255, SHA-512, HMAC, random bytes, and memory that is compared and wiped safely. */
#ifndef BONJOURISH_CSODIUM_H
#define BONJOURISH_CSODIUM_H

#include <sodium.h>

#endif
