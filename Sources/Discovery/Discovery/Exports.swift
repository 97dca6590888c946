// The functions that escape text for display are part of this module's interface.
@_exported public import _BonjourishBase
