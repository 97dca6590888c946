import _BonjourishMulticastDNS

/// What a host has to know after what it heard: the rules of RFC 6762 §10, told once more without a cache.
struct Hearing {
  /// What is followed: the records of a name and type.
  struct Subject: Hashable {
    let name: DNSName
    let type: DNSType
  }

  private struct Sighting {
    var heard: Duration
    var expires: Duration
    /// When it was last asked for, and not known to the asker.
    var asked: Duration?
    /// From when on it need not be known any more, because it was asked for twice in vain (§10.5).
    var isDoubtfulFrom: Duration?
  }

  private var sightings: [Subject: [RecordIdentity: Sighting]] = [:]

  /// Follows what is said of a name and type from now on.
  mutating func follow(_ subject: Subject) {
    sightings[subject] = [:]
  }

  /// Takes in a message that reached the host.
  mutating func hear(_ message: DNSMessage, at now: Duration) {
    guard message.isResponse else { return hearQuery(message, at: now) }
    for records in [message.answers, message.authorities, message.additionals] {
      for record in records { hear(record, at: now) }
    }
  }

  /// Notes what the sender of a query will doubt if there is no answer. Whether anybody is to answer is not known here.
  private mutating func hearQuery(_ message: DNSMessage, at now: Duration) {
    let known = Set(message.answers.map(RecordIdentity.init))
    for subject in message.questions.map({ Subject(name: $0.name, type: $0.type) }) {
      for identity in (sightings[subject] ?? [:]).keys where !known.contains(identity) {
        if let asked = sightings[subject]![identity]!.asked, now - asked <= .seconds(10) {
          let former = sightings[subject]![identity]!.isDoubtfulFrom ?? asked + .seconds(10)
          sightings[subject]![identity]!.isDoubtfulFrom = min(former, asked + .seconds(10))
        }
        sightings[subject]![identity]!.asked = now
      }
    }
  }

  private mutating func hear(_ record: DNSRecord, at now: Duration) {
    let subject = Subject(name: record.name, type: record.type)
    guard sightings[subject] != nil else { return }
    let identity = RecordIdentity(record)
    if record.timeToLive > 0 {
      sightings[subject]![identity] = Sighting(heard: now, expires: now + .seconds(record.timeToLive))
    } else if let former = sightings[subject]![identity], former.expires > now {
      // §10.1
      sightings[subject]![identity]!.expires = min(former.expires, now + .seconds(1))
    }
    guard record.cacheFlush else { return }
    // §10.2
    for (other, sighting) in sightings[subject]! where sighting.heard < now - .seconds(1) && sighting.expires > now {
      sightings[subject]![other]!.expires = min(sighting.expires, now + .seconds(1))
    }
  }

  /// What is neither expired nor replaced.
  func known(_ subject: Subject, at now: Duration) -> Set<RecordIdentity> {
    Set(sightings[subject, default: [:]].lazy.filter { $0.value.expires > now }.map(\.key))
  }

  /// What may have been given up, because others have asked for it in vain.
  func doubtful(_ subject: Subject, at now: Duration) -> Set<RecordIdentity> {
    Set(sightings[subject, default: [:]].lazy.filter { $0.value.isDoubtfulFrom.map { $0 <= now } ?? false }.map(\.key))
  }
}
