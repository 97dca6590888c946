/// The name and type of a question or of a set of records.
struct SetKey: Hashable {
  let name: DNSName
  let type: DNSType
}

/// The identity of a record: its name and data, without its time to live.
struct RecordKey: Hashable {
  let name: DNSName
  let data: DNSData
}
