// The types of discovery and the handling of termination signals are part of this module's interface.
@_exported public import _BonjourishDiscovery
@_exported public import _BonjourishSignals
