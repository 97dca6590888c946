/* The C client of NATS for Swift. */
#ifndef BONJOURISH_CNATS_H
#define BONJOURISH_CNATS_H

#if !__has_include(<nats/nats.h>)
#error "nats/nats.h is missing: install the Debian package libnats-dev, or turn the package trait Directory off (traits: [] where you depend on this package), or do without the product BonjourishDirectory"
#endif

#include <nats/nats.h>

#endif
