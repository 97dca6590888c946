// Distributed actors are written with the module `Distributed`: importing this module imports it.
@_exported public import Distributed
