// Framing and termination signals are part of this module's interface: importing it imports them.
@_exported public import FramedCoding
@_exported public import _BonjourishSignals
