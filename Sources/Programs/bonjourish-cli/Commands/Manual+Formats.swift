/// The formats of files, of the output and of datagrams, for the manual page.
extension Commands {
  static let serviceFile = #"""
    The file of `publish --file` is a JSON object with at least one of three arrays. Unknown keys are errors.

    `services`
    : Objects with `name`, `type` and `port`, and if wanted `subtypes`, an array of texts; `txt`, an array of the strings of the TXT
    record, each a text, such as `"path=/"`, or `{"base64": "..."}` for any bytes; `host`, the name of another host that offers the
    service; and `rename`: `false` if the service must not get another name after a conflict.

    `hosts`
    : Objects with `name` and `addresses`, an array of texts, of hosts that do not answer for themselves, or further names of this
    one. A service whose `host` is not here is of a host that answers for itself.

    `records`
    : Objects with `name`, `type` and `base64`, the data as on the wire, such as `query --json` shows them, and `unique`: `true` if
    no other host may have records of that name. Or objects with `name` and `alias`, the name that it stands for (CNAME).

    An example:

        {"services": [{"name": "Labels", "type": "ipp", "port": 631, "txt": ["rp=ipp/print"], "host": "labels.local"}],
         "hosts": [{"name": "labels.local", "addresses": ["10.77.0.9"]}]}
    """#

  static let datagrams = #"""
    `query --raw` writes a line for each datagram that was sent to the mDNS group, with lines for its questions and records below:

        13:40:01.123 eth0 < 10.77.0.2:5353 query, 32 bytes
          question _http._tcp.local. IN PTR QM

    The first line has the local time, the interface, `>` if this machine sent it or `<` if another did, the source, the kind, the
    flags of the header, its ID unless that is 0, and the size. Then come the sections `question`, `answer`, `authority` and
    `additional`. A question ends with `QU` if a unicast answer is accepted, else with `QM`. A record is written as by `query`.

    What others skip is shown too: `(invalid name)`, `(invalid data)` with the bytes, other classes than `IN`, and bytes after the
    end. `malformed` or `ignored` tells why others drop the whole datagram, with the place and up to 32 bytes from there. Of one
    datagram no more than 128 questions and records are shown, and of one record no more than 256 bytes of text or unknown data.
    """#

  static let explorer = #"""
    `browse` opens the explorer if standard input and output are a terminal and the command is in its foreground. The first line tells
    what is listed and how many services there are, with "looking" until all that is there has answered. The line before the last
    tells on which interfaces the network is reached, the backend, for how long the command has run, and the keys that matter. Lines
    above it tell what keeps discovery from working. The last line is the command that shows the same: the list, the details, or the
    doctor's report. If it is too long, it goes on in the lines below, or, on a small screen, is cut; `y` copies it. Where the terminal
    shows ASCII only, other characters are bytes in `$'...'`, which bash and zsh read, and fish and dash do not. A line that begins with `#`
    says why there is no such command.

    The list has the services by type, by host, by interface or without groups; the signs in front of them are "+" for one that has come, "~" changed, "-"
    gone, "!" comes and goes, and `*` marked. The service under the cursor is resolved, others are with `--resolve` or the key `R`. Its
    details are beside the list, below it, or in place of it, wherever there is room: interfaces with the address families, whether the host is this machine,
    addresses, TXT record, records with the times for which they may be
    kept and the time that is left of them (the built-in engine tells these), and what has happened to the service since the command began.

    arrows, Page Up, Page Down, Home, End; `k`, `j`, `g`, `G`
    : Move the cursor. Left and Right, or Enter, fold a group and show it again; `-` and `+` do so with all groups.

    Enter, Tab
    : Go to the details of a service; Esc, Left or Enter go back.

    `1`, `2`, `3`, `4`, `v`
    : List by type, by host, by interface, in one list; or by the next of these.

    `s`
    : Sort by name, type, host or address, one after the other.

    `/`
    : Filter, while you type: by words, of which each is a text that stands anywhere, or *KEY*`=`*TEXT* with the keys of `--filter` that are
    properties, or `txt:`*KEY*. A service is listed if it has all of them. `*` and `?` are wildcards, and `?` is how to ask for a space; a text
    without them may be a part. Enter keeps the filter, Esc shows all again, and Ctrl-C leaves the filter that there was.

    `p`
    : The list stands still, and changes are counted; `p` again goes on with them.

    space, `*`
    : Mark a service; list only those that are marked.

    `y`
    : Copy to the clipboard of the terminal (OSC 52): address and port, name, host, address, URL or command; in the details, the selected line;
    in the doctor's report, all of it.

    `o`
    : Open: `xdg-open` with the address of a web server, of the page of a printer, or of a server of FTP, SMB or VNC; `ssh` or `sftp` in this terminal. Only
    resolved addresses and ports are used, and of a TXT record at most a `path` of plain characters. No shell is involved. Of a game of
    `twentyfour-join`(1), the command that joins it is shown.

    `n`, `d`
    : Publish a service, described as for `publish`: *NAME* *TYPE* *PORT* [*KEY*`=`*VALUE*...]; withdraw it. All are withdrawn at the end.

    `D`, `!`
    : Examine this machine, as `doctor` does.

    `m`
    : Ignore the mouse, or not. A click selects a row; a click on the selected one opens its details, or folds its group. The wheel moves
    the list. With Shift, the mouse selects text.

    `R`, `?`, Ctrl-L, `q`
    : Resolve all services; help; paint anew; end.

    Ctrl-C leaves a line that is being written, or a choice, and otherwise ends the explorer. Then the terminal is as it was before, and
    nothing stays. Only if the explorer ends by itself, because of `--for` or `--count`, what was listed last is written as up to 100 lines,
    see PLAIN OUTPUT.
    """#

  static let plainOutput = #"""
    Names and texts from the network are printed with escapes, such as `\u{1B}`, in place of characters that control the terminal,
    reorder the line or are invisible.

    A line of `browse` has words that are separated by one space:

    sign
    : `+` found, `~` changed, or `-` gone.

    name
    : The service's name in quotation marks, in which `\"` and `\\` are a mark and a backslash.

    type
    : The type, and the domain unless it is `local`. After `-` the line ends here.

    interfaces
    : The network interfaces, separated by commas; `directory:` and a region stand for a directory.

    remarks
    : In parentheses and separated by commas, if there is something to remark: `does not answer`, `no way to its addresses`
    (its host answers, but this machine reaches none of its addresses through the interface of the answer, as behind a reflector
    without a router), `said goodbye`, `may be gone`.

    host and port
    : With `--resolve`, if the service answers: `h1.local:8080`.

    addresses
    : Then the addresses, separated by commas; `-` if none is known.

    TXT record
    : Then each entry as `key="value"`, or `key` if it has no value. Bytes that are not UTF-8 are `\xFF`.

    With `--columns`, a line has the sign and a word for each column instead, also after `-`.

    A word other than the name and a value is quoted in the same way if it has an unusual character. The line of `resolve` has host
    and port, addresses and TXT record. An example:

        + "Ada's pages" _http._tcp eth0,wlan0 ada.local:8080 10.77.0.1,fe80::1%eth0 path="/" secure
    """#
}
