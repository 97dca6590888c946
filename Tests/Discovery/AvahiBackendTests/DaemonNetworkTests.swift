#if Avahi
import CBonjourishLinux
import Testing

@testable import _BonjourishAvahiBackend

@Suite("Network of the daemon")
struct DaemonNetworkTests {
  @Test func `sockets of a port are read from the kernel's table`() {
    let table = """
         sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
       1234: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   105        0 18221 2 0000000000000000 7
       1235: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 18222 2 0000000000000000 0
       1236: 0000000000000000FFFF00000100007F:14E9 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 18223 2
      """
    #expect(DaemonNetwork.inodes(ofPort: 5353, in: table) == [18221, 18223])
    #expect(DaemonNetwork.inodes(ofPort: 53, in: table) == [18222])
    #expect(DaemonNetwork.inodes(ofPort: 5353, in: "sl\n1: 0:14E9 0 0 0 0 0 0 0 7") == [7], "no more than is needed")
  }

  @Test(arguments: ["", "\n\n", "sl\n1: x", "sl\n1: :14E9 0 0 0 0 0 0 0 x", "sl\n1: 0:14E99 0 0 0 0 0 0 0 7"])
  func `other lines are skipped`(_ table: String) {
    #expect(DaemonNetwork.inodes(ofPort: 5353, in: table).isEmpty)
  }

  @Test func `own sockets are found, however high their descriptors are`() throws {
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0)
    let low = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    let high = linux_fcntl(low, F_DUPFD_CLOEXEC, CInt(clamping: min(limit.rlim_cur, 1 << 20) - 1))
    close(low)
    var status = stat()
    try #require(fstat(high, &status) == 0)
    #expect(DaemonNetwork.ownSockets().contains(UInt64(status.st_ino)))
    close(high)
    #expect(!DaemonNetwork.ownSockets().contains(UInt64(status.st_ino)))
  }
}
#endif
