// Escaping of untrusted text is part of this module's interface.
@_exported public import _BonjourishBase
