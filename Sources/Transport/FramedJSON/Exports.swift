// `MessageCodec` and `MessageError` are part of this module's interface: importing it imports them.
@_exported public import FramedCoding
