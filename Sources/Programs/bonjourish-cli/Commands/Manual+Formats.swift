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

  static let table = """
    `browse` draws the table if standard input and output are a terminal and the command is in its foreground. The first line tells
    the types and how many services there are, with "looking" until all that is there has answered. The last line tells on which
    interfaces the network is reached, the backend, and for how long the command has run. Lines above it tell what keeps discovery
    from working. Columns that do not fit are left out; a wider terminal shows more.

    The arrow keys, Page Up, Page Down, Home and End move a list that is too long. `q` and Ctrl-C end the command. The terminal is
    then as it was, and what the table showed last is written as lines, see PLAIN OUTPUT.
    """

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
    : In parentheses and separated by commas, if there is something to remark: `does not answer`, `said goodbye`, `may be gone`.

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
