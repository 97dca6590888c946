/// Marshals values in little-endian order.
struct BusWriter {
  var bytes: [UInt8] = []

  mutating func value(_ value: BusValue) {
    switch value {
    case .byte(let byte): bytes.append(byte)
    case .truth(let truth): number(UInt32(truth ? 1 : 0))
    case .int16(let number): self.number(UInt16(bitPattern: number))
    case .uint16(let number): self.number(number)
    case .int32(let number): self.number(UInt32(bitPattern: number))
    case .uint32(let number), .descriptor(let number): self.number(number)
    case .int64(let number): self.number(UInt64(bitPattern: number))
    case .uint64(let number), .double(let number): self.number(number)
    case .text(let text), .path(let text): self.text(text)
    case .signature(let text): signature(text)
    case .bytes(let some):
      number(UInt32(truncatingIfNeeded: some.count))
      bytes += some
    case .array(let element, let elements):
      // An entry of a dictionary is a type within an array only.
      let alignment = if case .array(let type)? = BusType.all(in: "a" + element)?.first { type.alignment } else { 1 }
      array(alignment: alignment) { writer in
        for one in elements { writer.value(one) }
      }
    case .structure(let members):
      align(8)
      for member in members { self.value(member) }
    case .entry(let key, let value):
      align(8)
      self.value(key)
      self.value(value)
    case .variant(let value):
      signature(value.type)
      self.value(value)
    }
  }

  mutating func array(alignment: Int, _ body: (inout BusWriter) -> Void) {
    number(UInt32(0))
    let place = bytes.count - 4
    align(alignment)
    let start = bytes.count
    body(&self)
    let length = UInt32(truncatingIfNeeded: bytes.count - start)
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
  }

  mutating func number(_ number: some FixedWidthInteger & UnsignedInteger) {
    let size = number.bitWidth / 8
    align(size)
    for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }

  /// Texts end at a null character, which the bus would not accept: it would end the connection.
  private mutating func text(_ text: String) {
    let some = text.utf8.prefix { $0 != 0 }
    number(UInt32(truncatingIfNeeded: some.count))
    bytes += some
    bytes.append(0)
  }

  mutating func signature(_ text: String) {
    bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
    bytes += text.utf8
    bytes.append(0)
  }

  mutating func align(_ size: Int) {
    while bytes.count % size != 0 { bytes.append(0) }
  }
}
