/* libavahi-client: the client of avahi-daemon. */
#ifndef BONJOURISH_CAVAHI_CLIENT_H
#define BONJOURISH_CAVAHI_CLIENT_H

#include "Common.h"
#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>

#endif
