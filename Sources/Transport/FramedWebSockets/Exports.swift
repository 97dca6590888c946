// Sites and the details of handshakes are part of this module's interface: importing it imports them.
@_exported public import _FramedWebProtocol
