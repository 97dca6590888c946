// `MessageCodec` and `MessageError` are part of this module's interface: who imports it has them.
@_exported public import Framing
