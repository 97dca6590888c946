/// A name and a type: what a question asks for, and what one set of records is kept under.
struct SetKey: Hashable {
  let name: DNSName
  let type: DNSType
}

/// What makes a record the same record: all but its time to live.
struct RecordKey: Hashable {
  let name: DNSName
  let data: DNSData
}
