/* libavahi-client: the client of avahi-daemon. */
#ifndef BONJOURISH_CAVAHI_CLIENT_H
#define BONJOURISH_CAVAHI_CLIENT_H

#include "Common.h"
#if !__has_include(<avahi-client/client.h>)
#error "avahi-client/client.h is missing: install the Debian package libavahi-client-dev, or turn the package trait Avahi off (traits: [] where you depend on this package, or swift build --disable-default-traits)"
#endif
#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>

#endif
