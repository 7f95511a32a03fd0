// Package binding holds what the bindings of the shim to the SDKs share: the raw
// filter in front of an SDK's decoder, the errors that a peer gets, and how a
// question is put to the engine. It knows no SDK.
package binding
