/* libsodium for Swift: ristretto255, SHA-512, HMAC, random bytes, and memory that is compared and wiped safely. */
#ifndef BONJOURISH_CSODIUM_H
#define BONJOURISH_CSODIUM_H

#if !__has_include(<sodium.h>)
#error "sodium.h is missing: install the Debian package libsodium-dev, or do without the product FramedSecurity"
#endif

#include <sodium.h>

#endif
