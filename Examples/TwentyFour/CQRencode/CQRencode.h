/* libqrencode. */
#ifndef BONJOURISH_CQRENCODE_H
#define BONJOURISH_CQRENCODE_H

#include <qrencode.h>

#endif
