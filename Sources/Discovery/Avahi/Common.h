/* libavahi-common: names, addresses, string lists, the poll interface, errors. */
#ifndef BONJOURISH_CAVAHI_COMMON_H
#define BONJOURISH_CAVAHI_COMMON_H

#if !__has_include(<avahi-common/address.h>)
#error "avahi-common/address.h is missing: install the Debian package libavahi-common-dev, or turn the package trait Avahi off (traits: [] where you depend on this package, or swift build --disable-default-traits)"
#endif

#include <avahi-common/address.h>
#include <avahi-common/alternative.h>
#include <avahi-common/defs.h>
#include <avahi-common/domain.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/watch.h>

#endif
