/* libqrencode. */
#ifndef BONJOURISH_CQRENCODE_H
#define BONJOURISH_CQRENCODE_H

#if !__has_include(<qrencode.h>)
#error "qrencode.h is missing: install the Debian package libqrencode-dev"
#endif

#include <qrencode.h>

#endif
