/* libsqlite3, and its macros that Swift cannot read. */
#ifndef BONJOURISH_CSQLITE_H
#define BONJOURISH_CSQLITE_H

#if !__has_include(<sqlite3.h>)
#error "sqlite3.h is missing: install the Debian package libsqlite3-dev"
#endif

#include <sqlite3.h>

/* Binds a text of which SQLite makes a copy of its own, as SQLITE_TRANSIENT, a cast, tells it to. */
static inline int sqlite_bind_copied_text(sqlite3_stmt *statement, int index, const char *text, int size) {
    return sqlite3_bind_text(statement, index, text, size, SQLITE_TRANSIENT);
}

#endif
